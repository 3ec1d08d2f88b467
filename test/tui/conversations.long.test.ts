import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { type Shell, shellFor } from '../cli/shell.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { Screen } from './screen.js';

const skip = skipWithout('tmux');

/** Sends a file in place of the draft, and saves it again under another name. */
async function sendAndSave(t: Test, shell: Shell, screen: Screen): Promise<void> {
  const home = shell.env.HOME ?? '';
  await writeFile(join(home, 'report.txt'), 'Quarter');
  await screen.keys('C-u', 'C-f');
  await screen.shows('Attach a file to the next message');
  await screen.type('rep');
  await screen.keys('Tab');
  await screen.shows('> file  report.txt_');
  await screen.keys('Enter');
  await screen.shows(/^To .* with report\.txt \(7 B\)$/m);
  await screen.keys('Enter');
  await screen.shows('[file report.txt]');
  await screen.keys('C-s');
  await screen.shows(/> report\.txt +7 B +admin/);
  await screen.keys('Enter', 'C-u');
  await screen.type('saved.txt');
  await screen.keys('Enter');
  await screen.shows('Saved: saved.txt (7 B)');
  t.equal(await readFile(join(home, 'saved.txt'), 'utf8'), 'Quarter');
  await screen.keys('Escape');
  await screen.shows(/^> _/m);
}

/** Begins a conversation, lets what is asked for be done from the other panel, and sees it in the first again. */
async function talk(t: Test, shell: Shell): Promise<void> {
  const screen = await Screen.open(t, shell, { args: ['tui', 'chat'] });
  await screen.shows('No conversation yet');
  await screen.keys('n');
  await screen.shows(/> Assistant +General assistant/);
  await screen.keys('Enter');
  await screen.shows('<enter> send  <ctrl-f> attach  <esc> commands');
  await screen.paste('/schedule 1h\nLook at the inbox');
  await screen.shows(/^> \/schedule 1h\n {2}Look at the inbox_/m);
  await screen.keys('Home');
  await screen.keys(...Array.from({ length: '/schedule 1h'.length }, () => 'Right'), 'Right', 'BSpace', 'Space');
  await screen.shows(/^> \/schedule 1h _Look at the inbox/m);
  await screen.keys('Enter');
  await screen.shows('Approval needed (ctrl-y approves, ctrl-n denies): schedule {"when":"1h",');
  await screen.type('ad');
  const asking = await screen.shows(/^> ad_/m);
  t.equal(asking.length, 24);
  t.match(asking.join('\n'), '<enter> send  <ctrl-y> approve  <ctrl-n> deny');
  await screen.keys('Escape');
  await screen.shows('<a> approve');

  await screen.keys(':');
  await screen.shows(/^:_/m);
  await screen.type('agents');
  await screen.keys('Enter');
  await screen.shows(/Assistant .* waiting +asks for schedule/);
  await screen.keys('Enter');
  await screen.shows(/waiting_approval +you +asks for schedule/);
  await screen.shows(/Today +0 tokens, no limit/);
  await screen.keys('Enter');
  await screen.shows('(a approves, d denies)');
  await screen.keys('a');
  const watched = await screen.shows(/completed[\s\S]*ok schedule\nSchedule \d+ was created/);
  t.equal(watched.length, 24);
  t.match(watched[0], /^platform {2}/);

  await screen.keys(':');
  await screen.shows(/^:_/m);
  await screen.type('chat');
  await screen.keys('Enter');
  // An answer that was watched to its end is read.
  await screen.shows(/unread: 0\n[\s\S]*> Assistant .* Schedule \d+ was created/);
  await screen.keys('Enter');
  await screen.shows(/Assistant, .*:\n> schedule .* ok\nSchedule \d+ was created/);
  await screen.shows(/^> ad_/m);
  await sendAndSave(t, shell, screen);
  await screen.keys('Escape');
  await screen.shows('<i> write');
  await screen.keys('Escape');
  await screen.shows('unread: 0');
  await screen.keys('q');
  await screen.shows('left with 0');
}

t.test('a member talks, approves and sends files in the dashboard, over HTTP, over the socket and in-process', { skip }, async (t) => {
  const run = async (name: string, prepare: (shell: Shell) => Promise<Shell>) =>
    t.test(name, async (t) => talk(t, await prepare(await shellFor(t))));
  await run('http', async (shell) => {
    const { url } = await shell.serve(t);
    const http = shell.with({ PLATFORM_DATA_DIR: '' });
    await http.run(['login', '--url', url, '--username', 'admin', '--password-stdin'], adminPassword);
    return http;
  });
  await run('local', async (shell) => {
    await shell.serve(t);
    return shell;
  });
  await run('direct', async (shell) => {
    const { child, ended } = await shell.serve(t);
    child.kill('SIGTERM');
    await ended;
    return shell;
  });
});
