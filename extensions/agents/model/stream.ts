import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, parseJson } from '../json.js';
import { EventParser, max_event_length, tooLong } from './event-parser.js';
import { AnswerFault } from './failures.js';
import { isErrorReport, readError, readErrorBody, type ServerError } from './server-error.js';

/** One chunk of an answer, as far as it is looked at. What a server sends may be anything else. */
export interface Chunk {
  choices?: unknown;
  usage?: unknown;
}

export interface ChunkReader {
  /** Gets each chunk; what it returns is waited for before the next. */
  take: (chunk: Chunk) => void | Promise<void>;
  /** Told of each part of the body that arrives, whatever is in it. */
  arrived: () => void;
}

/** How an answer has ended: the server said so, it came whole in one piece, or the connection just ended. */
export type StreamEnd = 'done' | 'whole' | 'closed';

/** How long a server may take to end a stream whose last event has come. */
const closing_ms = 250;
const done = '[DONE]';

/**
 * Reads the chunks of an answer until it says that it is done. What the body begins with tells whether it is a stream of events, JSON
 * (whole, or a line for each chunk) or a web page: servers and proxies name it wrongly.
 */
export async function readChunks(response: Response, { take, arrived }: ChunkReader): Promise<StreamEnd> {
  if (!response.body) throw new AnswerFault('sent an empty answer', { passing: true });
  const reader: Reader = response.body.getReader();
  try {
    const head = await headOf(reader, arrived);
    if (head.kind === 'events') return await readEvents(reader, { take, arrived }, head.parts);
    const text = await wholeOf(reader, arrived, head.parts);
    if (head.kind === 'page') throw misplaced(text, response);
    for (const chunk of chunksIn(text)) await take(chunk);
    return 'whole';
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

interface Head {
  kind: 'events' | 'json' | 'page';
  /** The bytes that were read to find that out. */
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

/** Thousands of these run at once, some chunks a second each: only what must wait makes a promise. */
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
        await closing(reader);
        return 'done';
      }
      const waits = take(chunkOf(data));
      if (waits) await waits;
    }
  }
  if (parser.stray !== '' && !parser.any) throw notJson(parser.stray);
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

function misplaced(text: string, { url }: Response): object {
  const { message } = readErrorBody(text);
  const from = URL.canParse(url) ? ` at ${new URL(url).host}` : '';
  return Object.assign(new Error(`a web page${from} answers instead of a model: "${message.slice(0, 200)}"`), { status: 404 });
}

/** The end is waited for, so that the connection can be used again; a server that sends on loses it. */
async function closing(reader: Reader): Promise<void> {
  const late = sleep(closing_ms, { done: true }, { ref: false });
  while (!(await Promise.race([reader.read(), late])).done);
}

/** One chunk, or one a line. */
function chunksIn(text: string): Chunk[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const whole = parse(text);
  if (whole !== undefined) return [checked(whole)];
  return lines.map((line) => chunkOf(line.replace(/^data:/, '')));
}

function chunkOf(data: string): Chunk {
  // Some servers and proxies send keep-alives as events: empty, or with a comment as their data.
  if (/^\s*(:|$)/.test(data)) return {};
  const value = parse(data);
  if (value === undefined) throw notJson(data);
  return checked(value);
}

function notJson(text: string): AnswerFault {
  return new AnswerFault(`sent something that is no JSON: ${text.slice(0, 200).replace(/\s+/g, ' ')}`);
}

function checked(value: unknown): Chunk {
  if (typeof value === 'string') throw thrown(readError(value));
  if (typeof value !== 'object' || value === null) return {};
  const chunk: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(chunk)) return {};
  const choices: readonly unknown[] = Array.isArray(chunk.choices) ? chunk.choices : [];
  if (chunk.error || (choices.length === 0 && !chunk.usage && isErrorReport(chunk))) throw thrown(readError(chunk));
  for (const part of [chunk.x_groq, ...choices]) if (isRecord(part) && part.error) throw thrown(readError({ error: part.error }));
  return chunk;
}

/** What a server says has gone wrong after it began to answer, as if it had said so at once. */
function thrown({ message, code, type, status }: ServerError): object {
  return Object.assign(new Error(message === '' ? 'it reported an error without a reason' : message), { code, type, status });
}

function parse(text: string): unknown {
  return parseJson(text.replace(/^\uFEFF/, ''));
}
