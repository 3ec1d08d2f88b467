import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What waits to be written before its sender has to wait. */
const most_waiting_bytes = 256 * 1024;
/** However small the pieces are: each of them holds on to more than its bytes. */
const most_waiting_pieces = 64;

/**
 * A new file that is written as its bytes arrive. What came in one turn is written at once: each write is handed to another thread and
 * back, which costs more than writing does.
 */
export class UploadFile {
  readonly path: string;
  readonly #handle: Promise<FileHandle>;
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  /** The write that goes on, or is about to begin. */
  #writing: Promise<void> | undefined;
  #fault: { thrown: unknown } | undefined;

  constructor(folder: string) {
    this.path = join(folder, randomUUID());
    this.#handle = open(this.path, 'wx');
    // Told by the first write, or by `close`.
    this.#handle.catch(() => undefined);
  }

  /** What it was given so far. */
  get bytes(): number {
    return this.#bytes;
  }

  add(piece: Buffer): void {
    this.#waiting.push(piece);
    this.#waitingBytes += piece.length;
    this.#bytes += piece.length;
    this.#writing ??= this.#write();
  }

  /** Resolves when there is room for more; undefined where there is. Fails as a write failed. */
  room(): Promise<void> | undefined {
    if (this.#fault) throw this.#fault.thrown;
    if (this.#waitingBytes < most_waiting_bytes && this.#waiting.length < most_waiting_pieces) return undefined;
    return this.#written();
  }

  /** After the last piece. Fails as a write failed. */
  async close(): Promise<void> {
    await this.#written();
    await (await this.#handle).close();
  }

  /** Removes it, whole or not. */
  async remove(): Promise<void> {
    await this.#writing;
    // Closed twice is closed, and one that was not opened needs no end.
    await this.#handle.then((handle) => handle.close()).catch(() => undefined);
    await rm(this.path, { force: true });
  }

  async #written(): Promise<void> {
    await this.#writing;
    if (this.#fault) throw this.#fault.thrown;
  }

  async #write(): Promise<void> {
    await new Promise(setImmediate);
    try {
      while (this.#waiting.length > 0) {
        const pieces = this.#waiting;
        this.#waiting = [];
        this.#waitingBytes = 0;
        await this.#writeAll(pieces);
      }
    } catch (thrown) {
      this.#fault = { thrown };
    } finally {
      this.#writing = undefined;
    }
  }

  async #writeAll(pieces: Buffer[]): Promise<void> {
    let left = pieces;
    while (left.length > 0) {
      const { bytesWritten } = await (await this.#handle).writev(left);
      left = after(left, bytesWritten);
    }
  }
}

/** What is left where a disk took less than it was given. */
function after(pieces: readonly Buffer[], taken: number): Buffer[] {
  const left: Buffer[] = [];
  let skip = taken;
  for (const piece of pieces) {
    if (skip < piece.length) left.push(piece.subarray(skip));
    skip = Math.max(0, skip - piece.length);
  }
  return left;
}
