#!/usr/bin/env node
import { fstatSync, writeSync } from 'node:fs';
import { Writable } from 'node:stream';
import { Command } from 'commander';
import type { Terminal } from './terminal.js';

/** Writes to a file descriptor. Node's own stream treats a short write on a full disk as complete. */
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

/** Returns a stream for standard output or standard error redirected to a file. */
function fileOutput(descriptor: number): Terminal['stdout'] {
  return new FileOutput(descriptor) as unknown as Terminal['stdout'];
}

// Commands load their dependencies when they run: `--help` must not wait for a database driver.
const { run } = await import('./program.js');
const { env, stdin } = process;
const [stdout, stderr] = [outputTo(1, process.stdout), outputTo(2, process.stderr)];
// A pipe may report only after the command that its reader has closed it.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
process.exitCode = await run(new Command('platform'), process.argv.slice(2), { env, stdin, stdout, stderr });

function outputTo(descriptor: number, own: Terminal['stdout']): Terminal['stdout'] {
  return fstatSync(descriptor).isFile() ? fileOutput(descriptor) : own;
}
