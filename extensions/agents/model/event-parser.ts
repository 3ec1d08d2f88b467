import { AnswerFault } from './failures.js';

/** Limit of one event of a stream, or of an answer that isn't streamed, in characters. */
export const max_event_length = 8 * 1_048_576;
const max_stray = 400;

/**
 * Finds server-sent events in bytes that arrive in parts of any size. Ours, because model servers omit empty lines
 * between events and write errors as bare lines, which eventsource-parser joins or drops.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  /** Incomplete line. */
  #partial = '';
  /** Data lines of an incomplete event. */
  #data: string[] = [];
  /** Length of both, in characters. */
  #length = 0;
  #name = '';
  #found = false;
  #stray = '';

  /** Whether any event was found. */
  get found(): boolean {
    return this.#found;
  }

  /** Returns the start of the first line that belongs to no event. */
  get stray(): string {
    return this.#stray;
  }

  /** Returns the data of each event that is complete. Fails if one exceeds the limit. */
  add(bytes: Uint8Array): string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#partial += text;
    this.#length += text.length;
    if (this.#length > max_event_length) throw tooLong();
    if (!text.includes('\n') && !text.includes('\r')) return [];
    // Usually there are only line feeds. A carriage return at the end may be half of a line ending.
    const lines = this.#partial.split(this.#partial.includes('\r') ? /\r\n|\n|\r(?!$)/ : '\n');
    this.#partial = lines.pop() ?? '';
    return this.#eventsOf(lines);
  }

  /** Returns the data of events ended by the end of the stream. */
  end(): string[] {
    const rest = this.#partial + this.#decoder.decode();
    return this.#eventsOf([...rest.split('\r'), '']);
  }

  #eventsOf(lines: readonly string[]): string[] {
    const events: string[] = [];
    for (const line of lines) {
      if (line.startsWith('data:')) {
        // Some servers omit the empty line. The start of a JSON object is not valid JSON itself, so nothing is cut in two.
        if (this.#data.length === 1 && isObject(this.#data[0] ?? '')) events.push(this.#take());
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
      } else if (line.startsWith('event:')) this.#name = line.slice(6).trim();
      else if (line !== '' && !/^(:|id\b|retry\b|event\b|data\b)/.test(line)) events.push(...this.#readBareLine(line));
      if (line !== '') continue;
      if (this.#data.length > 0) events.push(this.#take());
      this.#name = '';
    }
    this.#found ||= events.length > 0;
    if (events.length > 0 || this.#data.length === 0) this.#length = this.#partial.length;
    return events;
  }

  /** Reads a line without a known field: some servers write errors into a stream that way. */
  #readBareLine(line: string): string[] {
    const error = /^error:\s*(\{.*)/.exec(line)?.[1];
    const event = error === undefined || !isObject(error) ? line : asError(error);
    if (isObject(event)) return [...(this.#data.length > 0 ? [this.#take()] : []), event];
    this.#stray ||= line.slice(0, max_stray);
    return [];
  }

  /** Takes the current event. An event named `error` is one, whatever its data looks like. */
  #take(): string {
    const data = this.#data.join('\n');
    this.#data = [];
    if (this.#name !== 'error') return data;
    return isObject(data) ? asError(data) : JSON.stringify({ error: data });
  }
}

function asError(json: string): string {
  return /^\s*\{\s*"error"/.test(json) ? json : `{"error":${json}}`;
}

function isObject(text: string): boolean {
  if (!/^\s*[[{]/.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}

export function tooLong(): AnswerFault {
  return new AnswerFault(`sent more than ${max_event_length / 1_048_576} MiB without a complete event`);
}
