import { AnswerFault } from './failures.js';

/** Limits one event of a stream, or an answer that isn't streamed, in characters. */
export const max_event_length = 8 * 1_048_576;
const max_stray = 400;

/**
 * Finds the server-sent events in bytes that come in parts of any size. It is our own because model servers leave out empty lines between
 * events and write errors as bare lines, which eventsource-parser joins or drops.
 */
export class EventParser {
  readonly #decoder = new TextDecoder();
  /** The start of a line. */
  #begun = '';
  /** The data lines of an event whose end has not come. */
  #data: string[] = [];
  /** Of both of them, in characters. */
  #length = 0;
  #name = '';
  #any = false;
  #stray = '';

  /** Whether an event was found. */
  get any(): boolean {
    return this.#any;
  }

  /** The start of the first line that belongs to no event. */
  get stray(): string {
    return this.#stray;
  }

  /** The data of each event that is whole now. Fails where one becomes too long. */
  add(bytes: Uint8Array): string[] {
    const text = this.#decoder.decode(bytes, { stream: true });
    this.#begun += text;
    this.#length += text.length;
    if (this.#length > max_event_length) throw tooLong();
    if (!text.includes('\n') && !text.includes('\r')) return [];
    // Mostly there are line feeds alone. A carriage return at the end may be half of a line's end.
    const lines = this.#begun.split(this.#begun.includes('\r') ? /\r\n|\n|\r(?!$)/ : '\n');
    this.#begun = lines.pop() ?? '';
    return this.#eventsOf(lines);
  }

  /** The data of those that end because nothing follows. */
  end(): string[] {
    const rest = this.#begun + this.#decoder.decode();
    return this.#eventsOf([...rest.split('\r'), '']);
  }

  #eventsOf(lines: readonly string[]): string[] {
    const events: string[] = [];
    for (const line of lines) {
      if (line.startsWith('data:')) {
        // Some servers leave out the empty line. The start of a JSON object is none itself, so nothing is cut in two.
        if (this.#data.length === 1 && isObject(this.#data[0] ?? '')) events.push(this.#take());
        this.#data.push(line.slice(line[5] === ' ' ? 6 : 5));
      } else if (line.startsWith('event:')) this.#name = line.slice(6).trim();
      else if (line !== '' && !/^(:|id\b|retry\b|event\b|data\b)/.test(line)) events.push(...this.#readBareLine(line));
      if (line !== '') continue;
      if (this.#data.length > 0) events.push(this.#take());
      this.#name = '';
    }
    this.#any ||= events.length > 0;
    if (events.length > 0 || this.#data.length === 0) this.#length = this.#begun.length;
    return events;
  }

  /** Reads a line without a known field: some servers write an error into a stream that way. */
  #readBareLine(line: string): string[] {
    const error = /^error:\s*(\{.*)/.exec(line)?.[1];
    const event = error === undefined || !isObject(error) ? line : asError(error);
    if (isObject(event)) return [...(this.#data.length > 0 ? [this.#take()] : []), event];
    this.#stray ||= line.slice(0, max_stray);
    return [];
  }

  /** An event by the name of `error` is one, whatever its data looks like. */
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
  return new AnswerFault(`sent more than ${max_event_length / 1_048_576} MiB that is no whole event`);
}
