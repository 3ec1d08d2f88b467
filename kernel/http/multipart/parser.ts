import { type PartHead, readHead } from './head.js';
import { malformed } from './malformed.js';

export interface PartEvents {
  part(head: PartHead): void;
  /** The next bytes of the part; a view of what was pushed. */
  bytes(piece: Buffer): void;
  /** The part has ended. */
  end(): void;
}

/** The header lines of one part. */
const most_head_bytes = 16 * 1024;
/** What may stand behind a boundary on its line: white space. */
const most_line_bytes = 1024;
const most_parts = 50;

const line_end = Buffer.from('\r\n');
const head_end = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);

type Phase = 'preamble' | 'line' | 'head' | 'part' | 'epilogue';

/**
 * Takes multipart/form-data apart (RFC 7578, RFC 2046 5.1.1) as it arrives. Holds back no more than one part's header lines; the bytes
 * of parts are searched by Node itself, not copied, and given on at once.
 */
export class MultipartParser {
  readonly #events: PartEvents;
  readonly #delimiter: Buffer;
  #phase: Phase = 'preamble';
  /** What can't be told yet. The first boundary needs no line end before it: it is as if there were one. */
  #held: Buffer = line_end;
  #parts = 0;

  constructor(boundary: string, events: PartEvents) {
    this.#events = events;
    this.#delimiter = Buffer.from(`\r\n--${boundary}`);
  }

  /** @throws `malformed_request`; nothing may be pushed afterwards. */
  push(chunk: Buffer): void {
    let bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = nothing;
    for (let rest = this.#step(bytes); rest !== undefined; rest = this.#step(bytes)) bytes = rest;
  }

  /** @throws `malformed_request` where the last boundary is missing */
  finish(): void {
    const isClosed = this.#phase === 'epilogue' || (this.#phase === 'line' && blankless(this.#held) === '--');
    if (!isClosed) throw malformed('its end is missing');
  }

  /** Gives what is left to be looked at; undefined where more must come first. */
  #step(bytes: Buffer): Buffer | undefined {
    switch (this.#phase) {
      case 'preamble':
      case 'part':
        return this.#untilDelimiter(bytes);
      case 'line':
        return this.#line(bytes);
      case 'head':
        return this.#head(bytes);
      case 'epilogue':
        return undefined;
    }
  }

  #untilDelimiter(bytes: Buffer): Buffer | undefined {
    const found = bytes.indexOf(this.#delimiter);
    const end = found === -1 ? bytes.length - this.#begun(bytes) : found;
    if (this.#phase === 'part' && end > 0) this.#events.bytes(bytes.subarray(0, end));
    if (found === -1) return this.#hold(bytes.subarray(end));
    if (this.#phase === 'part') this.#events.end();
    this.#phase = 'line';
    return bytes.subarray(found + this.#delimiter.length);
  }

  /** How many of the last bytes may be the beginning of a delimiter. */
  #begun(bytes: Buffer): number {
    for (let at = Math.max(0, bytes.length - this.#delimiter.length + 1); at < bytes.length; at += 1) {
      at = bytes.indexOf(line_end[0] as number, at);
      if (at === -1) return 0;
      const length = bytes.length - at;
      if (bytes.compare(this.#delimiter, 0, length, at) === 0) return length;
    }
    return 0;
  }

  #line(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(line_end);
    if (end === -1 && bytes.length <= most_line_bytes) return this.#hold(bytes);
    const text = end === -1 || end > most_line_bytes ? undefined : blankless(bytes.subarray(0, end));
    if (text !== '' && text !== '--') throw malformed('something stands behind a boundary');
    this.#phase = text === '' ? 'head' : 'epilogue';
    return bytes.subarray(end + line_end.length);
  }

  #head(bytes: Buffer): Buffer | undefined {
    const end = bytes.indexOf(head_end);
    if (end > most_head_bytes || (end === -1 && bytes.length > most_head_bytes)) throw malformed('the headers of a part are too long');
    if (end === -1) return this.#hold(bytes);
    this.#parts += 1;
    if (this.#parts > most_parts) throw malformed(`it has more than ${most_parts} parts`);
    this.#events.part(readHead(bytes.toString('utf8', 0, end)));
    this.#phase = 'part';
    // A part may be empty: then its delimiter follows at once.
    return bytes.subarray(end + head_end.length);
  }

  /** A copy: what is left of it would keep all that it came with. */
  #hold(bytes: Buffer): undefined {
    this.#held = Buffer.from(bytes);
  }
}

function blankless(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\t ]/g, '');
}
