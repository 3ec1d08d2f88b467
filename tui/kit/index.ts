/** All that panels may import of the dashboard. */

export { Box } from 'ink';
export { mayAdminister } from '../../kernel/contract/authority.js';
export type { KernelApi } from '../../kernel/operations/contract.js';
export { Ask, type AskField, type AskProps } from './ask.js';
export { oneLine } from './cells.js';
export type { Column } from './columns.js';
export { type Size, Space, useSpace } from './context.js';
export { Fields } from './fields.js';
export { type Form, FormView } from './form.js';
export { ago, counted, duration, number, percent, size } from './formats.js';
export type { Binding } from './keys.js';
export { Log, type LogProps } from './log.js';
export type { Me, Panel, PanelProps } from './panel.js';
export { Question, type QuestionProps, questionLines } from './question.js';
export { type Action, Records, type RecordsProps } from './records.js';
export type { PendingApproval } from './reply.js';
export { Sparkline, type SparklineProps, sparkline } from './sparkline.js';
export { type Kind, Text, type TextProps } from './text.js';
export { type Called, useCall } from './use-call.js';
export { useKept } from './use-kept.js';
export { useKeys } from './use-keys.js';
export { type Line, useLine } from './use-line.js';
export { useFailed, useNotify } from './use-notify.js';
export { usePresence } from './use-presence.js';
export { type LiveReply, useReply } from './use-reply.js';
export { type Streaming, useStream } from './use-stream.js';
export { WriteLine, type WriteLineProps } from './write-line.js';
