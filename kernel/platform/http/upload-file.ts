import { randomUUID } from 'node:crypto';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Buffered bytes at which the sender must wait. */
const max_waiting_bytes = 256 * 1024;

/** Writes a new file in a folder. */
export class UploadFile {
  readonly path: string;
  /** Stream to the file; batches data that arrives during a write. */
  readonly out: WriteStream;

  constructor(folder: string) {
    this.path = join(folder, randomUUID());
    this.out = createWriteStream(this.path, { flags: 'wx', highWaterMark: max_waiting_bytes });
    // The writer reports errors; without one they are ignored.
    this.out.on('error', () => undefined);
  }

  get bytes(): number {
    return this.out.bytesWritten;
  }

  /** Deletes the file, complete or not. */
  async remove(): Promise<void> {
    this.out.destroy();
    // A pending open would create the file again.
    if (!this.out.closed) await new Promise<void>((resolve) => this.out.once('close', resolve));
    await rm(this.path, { force: true });
  }
}
