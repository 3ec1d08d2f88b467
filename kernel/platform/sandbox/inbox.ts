import { frame_bytes, message_bytes, open_messages, queued_bytes } from './limits.js';

/** Thrown if the other side violates the protocol; the connection can't continue. */
export class Malformed extends Error {}

const newline = 0x0a;
const more = 0x2b;
const last = 0x3d;
const space = 0x20;

interface Parts {
  parts: Buffer[];
  bytes: number;
}

/** Assembles received bytes into messages, within memory limits. */
export class Inbox {
  readonly #message: (text: string, bytes: number) => void;
  /** Start of an incomplete line. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  readonly #open = new Map<string, Parts>();
  #openBytes = 0;

  constructor(message: (text: string, bytes: number) => void) {
    this.#message = message;
  }

  /** @throws Malformed */
  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      this.#line(this.#completeLine(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.#buffer(chunk.subarray(start));
  }

  #completeLine(end: Buffer): Buffer {
    if (this.#restBytes === 0) return end;
    const line = Buffer.concat([...this.#rest, end]);
    this.#rest = [];
    this.#restBytes = 0;
    return line;
  }

  #buffer(rest: Buffer): void {
    this.#rest.push(rest);
    this.#restBytes += rest.length;
    if (this.#restBytes >= frame_bytes) throw new Malformed('a line is longer than 64 KiB');
  }

  #line(line: Buffer): void {
    if (line.length >= frame_bytes) throw new Malformed('a line is longer than 64 KiB');
    const mark = line[0];
    if (mark === more || mark === last) this.#piece(line, mark);
    else this.#message(line.toString(), line.length);
  }

  #piece(line: Buffer, mark: number): void {
    const end = line.subarray(0, 20).indexOf(space);
    const number = line.toString('latin1', 1, Math.max(end, 1));
    if (!/^\d{1,16}$/.test(number)) throw new Malformed('a piece has no number');
    const parts = this.#append(number, line.subarray(end + 1));
    if (mark === more) return;
    this.#open.delete(number);
    this.#openBytes -= parts.bytes;
    this.#message(Buffer.concat(parts.parts).toString(), parts.bytes);
  }

  #append(number: string, piece: Buffer): Parts {
    const parts = this.#open.get(number) ?? { parts: [], bytes: 0 };
    this.#open.set(number, parts);
    // Copied, because a slice would keep the whole chunk in memory.
    parts.parts.push(Buffer.from(piece));
    parts.bytes += piece.length;
    this.#openBytes += piece.length;
    if (parts.bytes > message_bytes) throw new Malformed('a message is longer than 16 MiB');
    if (this.#open.size > open_messages) throw new Malformed(`more than ${open_messages} messages are under way at once`);
    if (this.#openBytes > 2 * queued_bytes) throw new Malformed('more than 64 MiB of messages are under way at once');
    return parts;
  }
}
