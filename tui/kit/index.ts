/** The exports that panels may import from the dashboard. */

export { Box } from 'ink';
export {
  type Attached,
  type Attachment,
  describeAttachment,
  readAttachment,
  uploadAttachments,
} from '../../kernel/client/attachments.js';
export { commonBeginning, completeMention, type Mentionable, unfinishedMention } from '../../kernel/client/mention-completion.js';
export { MentionableMembers } from '../../kernel/client/mentionable-members.js';
export { imageHash, imageName } from '../../kernel/client/message-image.js';
export { completePath } from '../../kernel/client/path-completion.js';
export { savedName, saveNewFile } from '../../kernel/client/save-file.js';
export { mayAdminister } from '../../kernel/contract/authority.js';
export { roomNotice } from '../../kernel/contract/room-rights.js';
export type { SystemApi } from '../../kernel/contract/system.js';
export { Ask, type AskField, type AskProps } from './ask.js';
export { cut, oneLine } from './cells.js';
export type { Column } from './columns.js';
export { type Size, Space, useSpace } from './context.js';
export { Fields } from './fields.js';
export { type Form, FormView } from './form.js';
export { ago, counted, duration, number, percent, size } from './formats.js';
export type { Binding } from './keys.js';
export { Log, type LogProps } from './log.js';
export type { LogLine } from './log-line.js';
export type { Me, Opened, Panel, PanelProps } from './panel.js';
export { Question, type QuestionProps, questionLines } from './question.js';
export { type Action, type Opening, Records, type RecordsProps } from './records.js';
export type { PendingApproval } from './reply.js';
export { Sparkline, type SparklineProps, sparkline } from './sparkline.js';
export { type Kind, Text, type TextProps } from './text.js';
export { useApprovalInput } from './use-approval-input.js';
export { type Called, useCall } from './use-call.js';
export { useKeys } from './use-keys.js';
export { type Line, useLine } from './use-line.js';
export { useFailed, useNotify } from './use-notify.js';
export { useOpened } from './use-opened.js';
export { usePresence } from './use-presence.js';
export { type LiveReply, useReply } from './use-reply.js';
export { type Streaming, useStream } from './use-stream.js';
export { useViewState } from './use-view-state.js';
export { WriteLine, type WriteLineProps } from './write-line.js';
