import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, parseJson } from '../json.js';
import { EventParser, max_event_length, tooLong } from './event-parser.js';
import { AnswerFault } from './failures.js';
import { isErrorReport, readError, readErrorBody, type ServerError } from './server-error.js';

/** One chunk of an answer, reduced to the fields used here. A server may send anything else. */
export interface Chunk {
  choices?: unknown;
  usage?: unknown;
}

export interface ChunkReader {
  /** Receives each chunk; a returned promise is awaited before the next. */
  take: (chunk: Chunk) => void | Promise<void>;
  /** Runs for each part of the body that arrives, whatever it contains. */
  arrived: () => void;
}

/** End of an answer: the server said so, the answer came in one piece, or the connection just closed. */
export type StreamEnd = 'done' | 'whole' | 'closed';

/** Time a server may take to close a stream after its last event. */
const closing_ms = 250;
const done = '[DONE]';

/**
 * Reads the chunks of an answer until it is done. The first bytes show whether it is an event stream, JSON (in one
 * piece or by line) or a web page, because servers and proxies send wrong content types.
 */
export async function readChunks(response: Response, { take, arrived }: ChunkReader): Promise<StreamEnd> {
  if (!response.body) throw new AnswerFault('sent an empty answer', { passing: true });
  const reader: Reader = response.body.getReader();
  try {
    const head = await headOf(reader, arrived);
    if (head.kind === 'events') return await readEvents(reader, { take, arrived }, head.parts);
    const text = await wholeOf(reader, arrived, head.parts);
    if (head.kind === 'page') throw pageFault(text, response);
    for (const chunk of chunksIn(text)) await take(chunk);
    return 'whole';
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

interface Head {
  kind: 'events' | 'json' | 'page';
  /** Bytes read to detect the kind. */
  parts: Uint8Array[];
}

async function headOf(reader: Reader, arrived: () => void): Promise<Head> {
  const decoder = new TextDecoder();
  const parts: Uint8Array[] = [];
  let text = '';
  for (let size = 0; text === '' && size < max_event_length; ) {
    const { done: ended, value } = await reader.read();
    if (ended) break;
    arrived();
    parts.push(value);
    size += value.length;
    text = decoder.decode(value, { stream: true }).trimStart();
  }
  return { kind: /^[[{"]/.test(text) ? 'json' : /^<[!?a-z]/i.test(text) ? 'page' : 'events', parts };
}

/** Reads events. Thousands of these run at once with several chunks a second, so promises are created only if something must be awaited. */
async function readEvents(reader: Reader, { take, arrived }: ChunkReader, head: readonly Uint8Array[]): Promise<StreamEnd> {
  const parser = new EventParser();
  const waiting = [...head];
  for (let ended = false; !ended; ) {
    const first = waiting.shift();
    const read = first ? { done: false as const, value: first } : await reader.read();
    arrived();
    ended = read.done;
    for (const event of read.done ? parser.end() : parser.add(read.value)) {
      // Some gateways write `data:` twice.
      const data = event.replace(/^(\s*data:)+/, '').trimStart();
      if (data.startsWith(done)) {
        await drain(reader);
        return 'done';
      }
      const waits = take(chunkOf(data));
      if (waits) await waits;
    }
  }
  if (parser.stray !== '' && !parser.found) throw notJson(parser.stray);
  return 'closed';
}

async function wholeOf(reader: Reader, arrived: () => void, head: readonly Uint8Array[]): Promise<string> {
  const decoder = new TextDecoder();
  let whole = head.map((part) => decoder.decode(part, { stream: true })).join('');
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    arrived();
    whole += decoder.decode(read.value, { stream: true });
    if (whole.length > max_event_length) throw tooLong();
  }
  return whole + decoder.decode();
}

function pageFault(text: string, { url }: Response): object {
  const { message } = readErrorBody(text);
  const from = URL.canParse(url) ? ` at ${new URL(url).host}` : '';
  return Object.assign(new Error(`a web page${from} answered instead of a model: "${message.slice(0, 200)}"`), { status: 404 });
}

/** Waits briefly for the end, so that the connection can be reused; a server that keeps sending loses it. */
async function drain(reader: Reader): Promise<void> {
  const late = sleep(closing_ms, { done: true }, { ref: false });
  while (!(await Promise.race([reader.read(), late])).done);
}

/** Reads one chunk, or one a line. */
function chunksIn(text: string): Chunk[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const whole = parse(text);
  if (whole !== undefined) return [validChunk(whole)];
  return lines.map((line) => chunkOf(line.replace(/^data:/, '')));
}

function chunkOf(data: string): Chunk {
  // Some servers and proxies send keep-alives as events: empty, or with a comment as data.
  if (/^\s*(:|$)/.test(data)) return {};
  const value = parse(data);
  if (value === undefined) throw notJson(data);
  return validChunk(value);
}

function notJson(text: string): AnswerFault {
  return new AnswerFault(`sent something that is not JSON: ${text.slice(0, 200).replace(/\s+/g, ' ')}`);
}

function validChunk(value: unknown): Chunk {
  if (typeof value === 'string') throw reported(readError(value));
  if (typeof value !== 'object' || value === null) return {};
  const chunk: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(chunk)) return {};
  const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
  if (chunk.error || (choices.length === 0 && !chunk.usage && isErrorReport(chunk))) throw reported(readError(chunk));
  for (const part of [chunk.x_groq, ...choices]) if (isRecord(part) && part.error) throw reported(readError({ error: part.error }));
  return chunk;
}

/** Converts an error in the middle of an answer to the shape of an immediate one. */
function reported({ message, code, type, status }: ServerError): object {
  return Object.assign(new Error(message === '' ? 'it reported an error without a reason' : message), { code, type, status });
}

function parse(text: string): unknown {
  return parseJson(text.replace(/^\uFEFF/, ''));
}
