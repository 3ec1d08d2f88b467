import type { Message, Session, ToolCall } from '../contract.js';

/** Returns the heading of an exported session. */
export function markdownHead({ title, topic }: Session, exported_at: string): string {
  const about = topic === '' ? '' : `${escaped(topic)}\n\n`;
  return `# ${escaped(title) || 'Conversation'}\n\n${about}Exported on ${timeOf(exported_at)}.\n`;
}

/** Returns a message. Its text is quoted, so that it can't pass for another message. */
export function markdownMessage(message: Message): string {
  const { sender_name, created_at, content, images, files, tool_calls, error } = message;
  const lines = [
    ...tool_calls.map(usedTool),
    ...images.map(({ name = 'image' }) => `- Image: ${escaped(name)}`),
    ...files.map(({ name, bytes }) => `- File: ${escaped(name)} (${bytes} bytes)`),
    ...(error ? [`- Failed: ${escaped(error.message)}`] : []),
  ];
  const parts = [`\n### ${escaped(sender_name)}, ${timeOf(created_at)}${marksOf(message)}\n`];
  if (content !== '') parts.push(`\n${quoted(content)}\n`);
  if (lines.length > 0) parts.push(`\n${lines.join('\n')}\n`);
  return parts.join('');
}

function marksOf({ thread_id, edited_at, deleted_at, status }: Message): string {
  const marks = [
    ...(thread_id === null ? [] : ['in a thread']),
    ...(edited_at === null ? [] : ['edited']),
    ...(deleted_at === null ? [] : ['deleted']),
    ...(status === 'completed' ? [] : [status]),
  ];
  return marks.length === 0 ? '' : ` (${marks.join(', ')})`;
}

function usedTool({ name, error }: ToolCall): string {
  return `- Tool: ${escaped(name)}${error === null ? '' : `, failed: ${escaped(error)}`}`;
}

function quoted(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}

/** Returns a text on one line in which nothing is a mark of Markdown. */
function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_[\]<>#|~]/g, '\\$&');
}

/** `2030-01-02 03:04:05 UTC`. */
function timeOf(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}
