import t from 'tap';
import { type Running, shellFor, withoutTerminal } from './shell.js';

t.test('output on a terminal', { skip: withoutTerminal }, async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  const ended = async (running: Running, expected = 0) => {
    const { code, stdout } = await running.ended;
    t.equal(code, expected);
    // A slow call shows its progress in a line that it clears again.
    const shown = stdout.replaceAll('\r\n', '\n').replaceAll('\u001B', '<esc>');
    return shown.replace(/^[^\n]*\r<esc>\[K/, '');
  };

  t.test('a list is a table with a heading, in bold unless NO_COLOR', async (t) => {
    t.match(
      await ended(shell.terminal(['member', 'list'])),
      /^<esc>\[1mID +USERNAME +NICKNAME +ROLE +IS VIRTUAL +ACTIVE +CREATED AT<esc>\[22m\n1 +admin +admin +admin +false +true +20/,
    );
    const plain = await ended(shell.terminal(['member', 'list'], { NO_COLOR: '1' }));
    t.notMatch(plain, '<esc>');
    t.match(plain, /^ID +USERNAME/);
  });

  t.test('an empty list says so, a record has one key per line, a page reports omitted rows', async (t) => {
    t.equal(await ended(shell.terminal(['member', 'list', '--keyword', 'nobody'])), 'Nothing found.\n');
    t.match(await ended(shell.terminal(['member', 'seats'])), /^used: +1\nlimit: +0\nai employees: +\d+\n$/);
    t.equal((await shell.run(['member', 'create', 'second', '--password-stdin'], 'long enough')).code, 0);
    t.match(await ended(shell.terminal(['member', 'list', '--page-size', '1'])), /\n1 of \d+\n$/);
  });

  t.test('messages are formatted as Markdown on a terminal, and stay as they are in a pipe', async (t) => {
    const { stdout } = await shell.run([
      'chat',
      'send',
      '# Ducks\n\n- They **quack**',
      '--target-type',
      '',
      '--json',
      'session_id,message_id',
    ]);
    const { session_id, message_id } = JSON.parse(stdout) as { session_id: string; message_id: string };
    await shell.run(['chat', 'send', 'Two', '--session-id', session_id]);
    const head = String.raw`[\d:.TZ-]+  admin  completed\n`;
    const ducks = String.raw`# Ducks\n\n• They [*]{2}quack[*]{2}\n`;
    const NO_COLOR = { NO_COLOR: '1' };
    t.match(await ended(shell.terminal(['chat', 'messages', session_id], NO_COLOR)), new RegExp(`^${head}${ducks}\n${head}Two\n$`));
    t.match(await ended(shell.terminal(['chat', 'message', message_id], NO_COLOR)), new RegExp(`^${head}${ducks}$`));
    t.match(await ended(shell.terminal(['chat', 'message', message_id])), /^<esc>\[1m.*<esc>\[22m\n.*<esc>.*Ducks/);
    for (const args of [
      ['message', message_id],
      ['messages', session_id],
    ])
      t.match((await shell.run(['chat', ...args])).stdout, '\t# Ducks - They **quack**\n');
  });

  t.test('a deletion asks first, and only yes deletes', async (t) => {
    const { stdout } = await shell.run(['call', 'members.create', '--json', '{"username":"third","password":"long enough"}']);
    const { id } = JSON.parse(stdout) as { id: number };
    const exists = async () => (await shell.run(['member', 'get', String(id)])).code === 0;
    const refused = shell.terminal(['member', 'delete', String(id)]);
    await refused.shows('This cannot be undone. [y/N] ');
    refused.type('\r');
    t.match(await ended(refused, 1), 'Nothing was deleted');
    t.equal(await exists(), true);
    const agreed = shell.terminal(['member', 'delete', String(id)]);
    await agreed.shows('[y/N] ');
    agreed.type('y\r');
    await ended(agreed);
    t.equal(await exists(), false);
  });

  t.test('a command asks for a secret, which may be left out if optional', async (t) => {
    const asked = shell.terminal(['member', 'create', 'robot', '--is-virtual']);
    await asked.shows('Password (empty for none): ');
    asked.type('\r');
    t.match(await ended(asked), /username: +robot\n/);
  });

  t.test('doctor shows the state of each check in colour', async (t) => {
    t.match(await ended(shell.terminal(['doctor'])), /<esc>\[32mok <esc>\[39m {2}kernel\.database: /);
  });
});
