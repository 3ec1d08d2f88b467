import { writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import type { Terminal } from './terminal.js';

/** Writes to a file descriptor. Node's own stream for files takes a write that filled the disk half-way for a whole one. */
class FileOutput extends Writable {
  readonly isTTY = false;
  readonly #descriptor: number;

  constructor(descriptor: number) {
    super({ decodeStrings: true, autoDestroy: false });
    this.#descriptor = descriptor;
  }

  override _write(bytes: Buffer, _encoding: string, done: (fault?: Error | null) => void): void {
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
      done();
    } catch (fault) {
      done(fault as Error);
    }
  }
}

/** Standard output or standard error that leads to a file. */
export function fileOutput(descriptor: number): Terminal['stdout'] {
  return new FileOutput(descriptor) as unknown as Terminal['stdout'];
}
