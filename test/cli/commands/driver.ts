/**
 * Runs command lines one after the other in one process, on its own standard streams: a terminal's, where it was started on one.
 * Each comes as a line of JSON through the Unix socket that is named; after each, a mark on standard output and on standard
 * error says that this was all of it.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Command } from 'commander';
import { run } from '../../../cli/program.js';
import type { Terminal } from '../../../cli/terminal.js';
import { type Job, mark } from './job.js';

const { stdin, stdout, stderr } = process;
// Without one, a Ctrl-C between two commands would end this.
process.on('SIGINT', () => undefined);

const socket = connect(process.argv[2] as string);
await once(socket, 'connect');
for await (const line of createInterface({ input: socket })) await perform(JSON.parse(line) as Job);

async function perform({ args, env, cwd, input }: Job): Promise<void> {
  process.exitCode = undefined;
  process.chdir(cwd);
  const given = stdin.isTTY ? stdin : (Readable.from(input === '' ? [] : [input]) as unknown as Terminal['stdin']);
  const code = await run(new Command('platform'), args, { env, stdin: given, stdout, stderr });
  stdout.write(mark(code));
  if (!stderr.isTTY) stderr.write(mark(code));
}
process.exit(0);
