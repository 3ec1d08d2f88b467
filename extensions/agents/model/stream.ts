import { setTimeout as sleep } from 'node:timers/promises';
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

/** One event of a stream, or an answer that isn't streamed, in characters. */
const longest = 8 * 1_048_576;
/** How long a server may take to end a stream whose last event has come. */
const closing_ms = 250;
const done = '[DONE]';

/** The chunks of an answer, streamed or not, until it says that it is done. */
export async function* chunksOf(response: Response): AsyncGenerator<Chunk> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.body || /\b(html|xml|image|audio|video)\b/i.test(type)) throw misplaced(type);
  const reader: Reader = response.body.getReader();
  try {
    if (/\bapplication\/(.+\+)?json\b/i.test(type)) return yield chunkOf(await wholeOf(reader));
    for await (const data of eventsOf(reader)) {
      if (data.startsWith(done)) return await closing(reader);
      yield chunkOf(data);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

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

/** The data of each server-sent event. */
async function* eventsOf(reader: Reader): AsyncGenerator<string> {
  let data: string[] = [];
  for await (const line of linesOf(reader)) {
    if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    if (line !== '' || data.length === 0) continue;
    yield data.join('\n');
    data = [];
  }
  if (data.length > 0) yield data.join('\n');
}

async function* linesOf(reader: Reader): AsyncGenerator<string> {
  let begun: string[] = [];
  let length = 0;
  for await (const text of textsOf(reader)) {
    begun.push(text);
    length += text.length;
    if (length > longest) throw tooLong();
    if (!/[\r\n]/.test(text)) continue;
    // A carriage return at the end may be half of a line's end.
    const lines = begun.join('').split(/\r\n|\n|\r(?!$)/);
    begun = [lines.pop() ?? ''];
    length = begun[0]?.length ?? 0;
    yield* lines;
  }
  yield* begun.join('').split('\r');
}

async function wholeOf(reader: Reader): Promise<string> {
  let whole = '';
  for await (const text of textsOf(reader)) {
    whole += text;
    if (whole.length > longest) throw tooLong();
  }
  return whole;
}

async function* textsOf(reader: Reader): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for (;;) {
    const read = await reader.read();
    yield decoder.decode(read.value, { stream: !read.done });
    if (read.done) return;
  }
}

function tooLong(): ModelFailure {
  return new ModelFailure('model_error', `The model sent more than ${longest / 1_048_576} MiB that is no whole event`);
}
