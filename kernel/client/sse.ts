/** A block of an event stream: an event, or a change of the reconnection time. */
export interface Frame {
  id?: string;
  event?: string;
  data?: string;
  retry?: number;
}

// Senders limit the size of events; this limit only stops a faulty sender.
const max_characters = 8 * 1024 * 1024;

/**
 * Parses an event stream according to the HTML standard (section 9.2.6, "Interpreting an event stream"), except that an event has an
 * `id` only if its own block has one. We don't use eventsource-parser 3.1 because it delays an event whose last line ends with a
 * carriage return at the end of a chunk.
 */
export async function* frames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let block: Frame = {};
  for await (const line of lines(chunks)) {
    if (line !== '') {
      take(block, line);
      continue;
    }
    if (block.data !== undefined || block.retry !== undefined) yield block;
    block = {};
  }
}

function take(block: Frame, line: string): void {
  const colon = line.indexOf(':');
  const name = colon === -1 ? line : line.slice(0, colon);
  const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
  if (name === 'data') block.data = block.data === undefined ? value : `${block.data}\n${value}`;
  else if (name === 'event') block.event = value;
  else if (name === 'id' && !value.includes('\0')) block.id = value;
  else if (name === 'retry' && /^\d+$/.test(value)) block.retry = Number(value);
}

async function* lines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of chunks) {
    pending += decoder.decode(chunk, { stream: true });
    if (pending.length > max_characters) throw new Error('An event of the stream is too large');
    for (let match = lineEnd.exec(pending); match !== null; match = lineEnd.exec(pending)) {
      yield pending.slice(0, match.index);
      pending = pending.slice(match.index + match[0].length);
    }
  }
}

// A carriage return at the end of a chunk may be the first half of a line end, so it waits for the next chunk.
const lineEnd = /\r\n|\n|\r(?!$)/;
