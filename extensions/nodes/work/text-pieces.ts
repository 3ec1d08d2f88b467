import { isUtf8 } from 'node:buffer';
import type { Frame } from './frames.js';

type Stream = Frame['stream'];

/** Takes a piece of text; `exact` holds its bytes, one per character, if the text does not say them. */
export type TakePiece = (stream: Stream, delta: string, exact?: string) => void;

/** Turns a command's output into text, in pieces that don't split characters. Bytes that aren't UTF-8 become U+FFFD. */
export class TextPieces {
  readonly #outputs = { stdout: new Output(), stderr: new Output() };
  readonly #take: TakePiece;

  constructor(take: TakePiece) {
    this.#take = take;
  }

  add({ stream, bytes }: Frame): void {
    this.#give(stream, this.#outputs[stream].add(bytes));
  }

  /** Gives what is left of characters that never came to their end. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#give(stream, this.#outputs[stream].end());
  }

  #give(stream: Stream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (isUtf8(bytes)) this.#take(stream, bytes.toString());
    else this.#take(stream, bytes.toString(), bytes.toString('latin1'));
  }
}

/** One output, and the bytes of its unfinished character. */
class Output {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns all whole characters so far. */
  add(bytes: Buffer): Buffer {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const end = all.length - unfinished(all);
    this.#rest = Buffer.from(all.subarray(end));
    return all.subarray(0, end);
  }

  end(): Buffer {
    const bytes = this.#rest;
    this.#rest = Buffer.alloc(0);
    return bytes;
  }
}

/** Counts the bytes at the end that begin a character without completing it (RFC 3629). */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return lengthOf(byte) > back ? back : 0;
  }
  return 0;
}

function lengthOf(lead: number): number {
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}
