import { setTimeout as sleep } from 'node:timers/promises';
import { EventParser, longest, tooLong } from './event-parser.js';
import { ModelFailure } from './failures.js';

/** One chunk of an answer, as far as it is looked at. What a server sends may be anything else. */
export interface Chunk {
  choices?: { delta?: Delta; message?: Delta; finish_reason?: unknown }[];
  usage?: { prompt_tokens?: unknown; completion_tokens?: unknown } | null;
  error?: unknown;
}

export interface Delta {
  content?: unknown;
  reasoning_content?: unknown;
  reasoning?: unknown;
  tool_calls?: unknown;
}

/** How long a server may take to end a stream whose last event has come. */
const closing_ms = 250;
const done = '[DONE]';

/** Reads the chunks of an answer, streamed or not, until it says that it is done. What `take` returns is waited for before the next. */
export async function readChunks(response: Response, take: (chunk: Chunk) => void | Promise<void>): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.body || /\b(html|xml|image|audio|video)\b/i.test(type)) throw misplaced(type);
  const reader: Reader = response.body.getReader();
  try {
    if (/\bapplication\/(.+\+)?json\b/i.test(type)) await take(chunkOf(await wholeOf(reader)));
    else await readEvents(reader, take);
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** Thousands of these run at once, some chunks a second each: only what must wait makes a promise. */
async function readEvents(reader: Reader, take: (chunk: Chunk) => void | Promise<void>): Promise<void> {
  const parser = new EventParser();
  for (let ended = false; !ended; ) {
    const read = await reader.read();
    ended = read.done;
    for (const data of read.done ? parser.end() : parser.add(read.value)) {
      if (data.startsWith(done)) return closing(reader);
      const waits = take(chunkOf(data));
      if (waits) await waits;
    }
  }
}

async function wholeOf(reader: Reader): Promise<string> {
  const decoder = new TextDecoder();
  let whole = '';
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    whole += decoder.decode(read.value, { stream: true });
    if (whole.length > longest) throw tooLong();
  }
  return whole + decoder.decode();
}

function misplaced(type: string): ModelFailure {
  const found = type === '' ? 'nothing' : type.slice(0, 100);
  return new ModelFailure('model_error', `Where the model should answer there is something else (${found}): check its address, base_url`);
}

/** The end is waited for, so that the connection can be used again; a server that sends on loses it. */
async function closing(reader: Reader): Promise<void> {
  const late = sleep(closing_ms, { done: true }, { ref: false });
  while (!(await Promise.race([reader.read(), late])).done);
}

function chunkOf(data: string): Chunk {
  const chunk = JSON.parse(data) as Chunk | null;
  if (typeof chunk !== 'object' || chunk === null) return {};
  if (chunk.error) throw errorIn(chunk.error);
  return chunk;
}

/** What a server says has gone wrong after it began to answer, as if it had said so at once. */
function errorIn(error: unknown): object {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { code } = error as { code?: unknown };
  return { ...error, status: typeof code === 'number' ? code : undefined };
}
