#!/usr/bin/env -S node --max-semi-space-size=32 --v8-pool-size=0
// The young generation's limit: with the 16 MB of V8's default, what hundreds of replies write at once is moved to
// the old one, whose collection stops them all. A server that has less to do stays as small as before.
// And V8's threads: one less than there are processors. With its four on two of them, each collection of what is old takes
// the processor from what people wait for.
import { Command } from 'commander';

// Whatever else a command needs is loaded when it runs: `--help` must not wait for a database driver.
const { run } = await import('./program.js');
const { env, stdin, stdout, stderr } = process;
// A pipe may tell only after the command that its reader has left; what nobody reads is nobody's loss.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
process.exitCode = await run(new Command('platform'), process.argv.slice(2), { env, stdin, stdout, stderr });
