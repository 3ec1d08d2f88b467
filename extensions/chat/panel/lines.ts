import { ago, type LogLine, number, oneLine } from '../../../tui/kit/index.js';
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

/** Returns the number of replies in a thread; empty without any. */
export function repliesOf({ reply_count }: Pick<Message, 'reply_count'>): string {
  return reply_count === 0 ? '' : reply_count === 1 ? '1 reply' : `${number(reply_count)} replies`;
}

function linesOfOne(message: Message, { now, writing }: LinesOptions): LogLine[] {
  return [...(message.deleted_at === null ? linesOfText(message, { now, writing }) : linesOfDeleted(message, now)), ...linesBelow(message)];
}

function linesOfDeleted({ sender_name, created_at }: Message, now: number): LogLine[] {
  return [`${oneLine(sender_name)}, ${ago(created_at, now)}:`, 'Message deleted'];
}

/** Returns the reactions, and the length of the thread that begins with the message. */
function linesBelow({ reactions, ...message }: Message): LogLine[] {
  const counts = reactions.map(({ emoji, count, mine }) => `${oneLine(emoji)} ${count}${mine ? ' (you too)' : ''}`);
  return [counts.join('  '), repliesOf(message)].filter((line) => line !== '');
}

function linesOfText(message: Message, { now, writing }: LinesOptions): LogLine[] {
  const { sender_name, created_at, status, task_id, content, images, files, tool_calls, notices, error } = message;
  const state = status === 'completed' ? [] : [status === 'streaming' ? 'writes' : status];
  const remarks = [...state, ...(message.edited_at === null ? [] : ['edited'])];
  const isWritten = status === 'streaming' && writing !== undefined && writing.task_id === task_id && writing.lines.length > 0;
  const text = content === '' ? [] : [{ markdown: content }];
  return [
    `${oneLine(sender_name)}, ${ago(created_at, now)}${remarks.length === 0 ? '' : ` (${remarks.join(', ')})`}:`,
    ...images.map(({ name, mime_type }) => `[image ${oneLine(name ?? mime_type)}]`),
    ...files.map(({ name }) => `[file ${oneLine(name)}]`),
    ...(isWritten ? writing.lines : [...tool_calls.map(toolLine), ...text]),
    ...notices.map((notice) => `note: ${oneLine(notice.message)}`),
    ...(error === null ? [] : [`failed: ${oneLine(error.message)}`]),
  ];
}

function toolLine({ name, input, error, finished_at }: ToolCall): string {
  const end = finished_at === null ? '' : error === null ? ' ok' : ` failed: ${oneLine(error)}`;
  return `> ${oneLine(name)} ${oneLine(input).slice(0, 80)}${end}`;
}

/** Returns the text of a message on one line; without one, the names of its images and files. */
export function textOf({ content, deleted_at, images, files }: Message): string {
  if (deleted_at !== null) return 'Message deleted';
  return oneLine(content) || [...images.map(({ name }) => name ?? 'image'), ...files.map(({ name }) => name)].map(oneLine).join(', ');
}
