import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import t from 'tap';
import { asTyped, firstWords } from '../../cli/invocation.js';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';

const npx = { env: { npm_lifecycle_event: 'npx' } };

t.test('started by npx, commands in texts begin with npx', (t) => {
  const lines = {
    'start it with: platform serve, or name another one': 'start it with: npx platform serve, or name another one',
    'make it with: platform extension keys --json > keys.json': 'make it with: npx platform extension keys --json > keys.json',
    '`platform node rm 7`; and (platform doctor)': '`npx platform node rm 7`; and (npx platform doctor)',
    'already: npx platform serve': 'already: npx platform serve',
    'There is no platform in /srv/platform chat': 'There is no platform in /srv/platform chat',
    'a platform that serves; platform servers; the platform chats': 'a platform that serves; platform servers; the platform chats',
  };
  for (const [text, typed] of Object.entries(lines)) {
    t.equal(asTyped(text, npx), typed);
    t.equal(asTyped(text, { env: { npm_lifecycle_event: 'test' } }), text);
  }
  t.end();
});

t.test('the first word of every command is known', async (t) => {
  const program = new Command('platform');
  const { stdin, stderr } = process;
  await run(program, ['version'], { env: {}, stdin, stdout: new PassThrough().resume(), stderr } as unknown as Terminal);
  const words = program.commands.map((command) => command.name()).filter((name) => !name.startsWith('__'));
  // Commander's own, and that of plugins, which is there once one is installed.
  t.strictSame([...new Set([...words, 'help', 'x'])].sort(), [...firstWords]);
});
