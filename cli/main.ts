#!/usr/bin/env -S node --max-semi-space-size=32 --v8-pool-size=0
// The young generation's limit: with the 16 MB of V8's default, what hundreds of replies write at once is moved to
// the old one, whose collection stops them all. A server that has less to do stays as small as before.
// And V8's threads: one less than there are processors. With its four on two of them, each collection of what is old takes
// the processor from what people wait for.
import { fstatSync } from 'node:fs';
import { Command } from 'commander';
import { fileOutput } from './file-output.js';
import type { Terminal } from './terminal.js';

// Whatever else a command needs is loaded when it runs: `--help` must not wait for a database driver.
const { run } = await import('./program.js');
const { env, stdin } = process;
const [stdout, stderr] = [outputTo(1, process.stdout), outputTo(2, process.stderr)];
// A pipe may report only after the command that its reader has left.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
process.exitCode = await run(new Command('platform'), process.argv.slice(2), { env, stdin, stdout, stderr });

function outputTo(descriptor: number, own: Terminal['stdout']): Terminal['stdout'] {
  return fstatSync(descriptor).isFile() ? fileOutput(descriptor) : own;
}
