#!/usr/bin/env node
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
