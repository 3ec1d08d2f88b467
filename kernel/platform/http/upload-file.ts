import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** What waits to be written before its sender has to wait. */
const max_waiting_bytes = 256 * 1024;

/** A new file in a folder. */
export class UploadFile {
  readonly path: string;
  /** Writes what has come while it was writing in one go. */
  readonly out: WriteStream;

  constructor(folder: string) {
    this.path = join(folder, randomUUID());
    this.out = createWriteStream(this.path, { flags: 'wx', highWaterMark: max_waiting_bytes });
    // Told to whoever fills it, if somebody still does.
    this.out.on('error', () => undefined);
  }

  get bytes(): number {
    return this.out.bytesWritten;
  }

  /** Removes it, whole or not. */
  async remove(): Promise<void> {
    this.out.destroy();
    // One that is being opened would be there again.
    if (!this.out.closed) await new Promise<void>((resolve) => this.out.once('close', resolve));
    await rm(this.path, { force: true });
  }
}
