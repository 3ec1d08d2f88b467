import { ago, type LogLine, oneLine } from '../../../tui/kit/index.js';
import type { Message, ToolCall } from '../contract.js';

export interface LinesOptions {
  now: number;
  /** The unsaved part of the reply that is being written. */
  writing?: { task_id: string; lines: readonly LogLine[] } | undefined;
}

/** Returns messages as lines: sender and time, then the text. */
export function linesOf(messages: readonly Message[], options: LinesOptions): LogLine[] {
  return messages.flatMap((message) => [...linesOfOne(message, options), '']);
}

function linesOfOne(message: Message, { now, writing }: LinesOptions): LogLine[] {
  const { sender_name, created_at, status, task_id, content, images, tool_calls, notices, error } = message;
  const state = status === 'completed' ? '' : ` (${status === 'streaming' ? 'writes' : status})`;
  const isWritten = status === 'streaming' && writing !== undefined && writing.task_id === task_id && writing.lines.length > 0;
  const text = content === '' ? [] : [{ markdown: content }];
  return [
    `${oneLine(sender_name)}, ${ago(created_at, now)}${state}:`,
    ...images.map(({ name, mime_type }) => `[image ${oneLine(name ?? mime_type)}]`),
    ...(isWritten ? writing.lines : [...tool_calls.map(toolLine), ...text]),
    ...notices.map((notice) => `note: ${oneLine(notice.message)}`),
    ...(error === null ? [] : [`failed: ${oneLine(error.message)}`]),
  ];
}

function toolLine({ name, input, error, finished_at }: ToolCall): string {
  const end = finished_at === null ? '' : error === null ? ' ok' : ` failed: ${oneLine(error)}`;
  return `> ${oneLine(name)} ${oneLine(input).slice(0, 80)}${end}`;
}
