import { isUtf8 } from 'node:buffer';
import type { Frame } from './frames.js';

type Stream = Frame['stream'];

/** Receives a piece of text; `exact` holds its bytes, one per character, if the text can't represent them. */
export type OnPiece = (stream: Stream, delta: string, exact?: string) => void;

/** Decodes a command's output to text in pieces that don't split characters. Bytes that aren't UTF-8 become U+FFFD. */
export class TextPieces {
  readonly #outputs = { stdout: new Output(), stderr: new Output() };
  readonly #onPiece: OnPiece;

  constructor(take: OnPiece) {
    this.#onPiece = take;
  }

  add({ stream, bytes }: Frame): void {
    this.#emit(stream, this.#outputs[stream].add(bytes));
  }

  /** Emits the rest of incomplete characters. */
  end(): void {
    for (const stream of ['stdout', 'stderr'] as const) this.#emit(stream, this.#outputs[stream].end());
  }

  #emit(stream: Stream, bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (isUtf8(bytes)) this.#onPiece(stream, bytes.toString());
    else this.#onPiece(stream, bytes.toString(), bytes.toString('latin1'));
  }
}

/** One stream with the bytes of its incomplete character. */
class Output {
  #rest: Buffer = Buffer.alloc(0);

  /** Returns all complete characters so far. */
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
