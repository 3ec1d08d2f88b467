import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Command } from 'commander';
import t from 'tap';
import { run } from '../../../cli/program.js';
import type { Terminal } from '../../../cli/terminal.js';
import { leafCommands } from './leaves.js';

t.test('an invalid flag exits with 2, names the help, and prints nothing else', async (t) => {
  for (const { name } of (await leafCommands()).filter((leaf) => leaf.name !== 'x')) {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()];
    const all = Promise.all([text(stdout), text(stderr)]);
    const terminal = { env: {}, stdin: process.stdin, stdout, stderr } as unknown as Terminal;
    const code = await run(new Command('platform'), [...name.split(' '), '--no-such-flag'], terminal);
    stdout.end();
    stderr.end();
    const [written, told] = await all;
    t.strictSame([code, written], [2, ''], name);
    t.match(told, /^platform: (unknown|required) option '.*\nhint: add --help to see the usage\n/, name);
  }
});
