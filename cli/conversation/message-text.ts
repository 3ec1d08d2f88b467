import { linesFor } from '../remark.js';
import { cell } from '../table.js';
import { coloured, type Terminal } from '../terminal.js';

/** The fields of a message that a conversation shows. */
export interface ShownMessage {
  id: string;
  role: string;
  sender_id: number | null;
  sender_name: string;
  content: string;
  status: string;
  images: readonly { name?: string; mime_type: string }[];
  /** Left out by servers of earlier versions. */
  files?: readonly { name: string }[];
  error: { message: string } | null;
  thread_id: string | null;
  reply_count: number;
  edited_at: string | null;
  deleted_at: string | null;
  reactions: readonly { emoji: string; count: number }[];
}

/**
 * Returns a message as it is shown on a terminal: the sender's name and remarks, then the text, each line ended. `thread`: the beginning of
 * the message whose thread it is in, in quotation marks.
 */
export async function messageText(
  message: ShownMessage,
  terminal: Terminal,
  { thread }: { thread?: string | undefined } = {},
): Promise<string> {
  const { content, images, files = [], error, reply_count, reactions, deleted_at } = message;
  const { renderMarkdown } = await import('../../tui/markdown/render.js');
  const { stdout } = terminal;
  const text = renderMarkdown(content, { width: stdout.columns || 80, color: coloured(terminal) });
  const below = [
    ...(reactions.length > 0 ? [reactions.map(({ emoji, count }) => `${cell(emoji)} ${count}`).join('  ')] : []),
    ...(reply_count > 0 ? [`[${reply_count === 1 ? '1 reply' : `${reply_count} replies`}]`] : []),
  ];
  const body =
    deleted_at === null
      ? [
          ...images.map(({ name, mime_type }) => `[image ${cell(name ?? mime_type)}]`),
          ...files.map(({ name }) => `[file ${cell(name)}]`),
          ...text,
          ...(error === null ? [] : linesFor(`failed: ${error.message}`, { stderr: stdout })),
        ]
      : ['Message deleted'];
  return [...linesFor(headOf(message, thread), { stderr: stdout }), ...body, ...below].map((line) => `${line}\n`).join('');
}

/** Returns the sender's name, and how the message differs from a plain one. */
function headOf({ sender_name, thread_id, edited_at, status }: ShownMessage, thread: string | undefined): string {
  const remarks = [
    ...(thread_id === null ? [] : [thread === undefined ? 'in a thread' : `in the thread of ${thread}`]),
    ...(edited_at === null ? [] : ['edited']),
    ...(status === 'aborted' ? ['stopped'] : []),
  ];
  return `${cell(sender_name)}${remarks.length > 0 ? ` (${remarks.join(', ')})` : ''}:`;
}
