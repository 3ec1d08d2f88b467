import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { adminPassword } from '../../helpers/platform.js';
import { type Running, type Shell, shellFor, withoutTerminal } from '../shell.js';

const shell = await shellFor(t);
const server = await shell.serve(t);
const wish = '/schedule 1h Look at the inbox';

interface Sent {
  role: string;
  content: string;
  status: string;
}

/** The messages of the latest conversation. */
async function latest(of: Shell = shell): Promise<Sent[]> {
  const [session] = JSON.parse((await of.run(['chat', 'sessions', '--json', 'id'])).stdout) as { id: string }[];
  return JSON.parse((await of.run(['chat', 'messages', String(session?.id), '--json', 'role,content,status'])).stdout) as Sent[];
}

/** Types a line as soon as there is a prompt for it. */
async function enter(running: Running, line: string, shown: string | RegExp): Promise<void> {
  running.stdout = '';
  running.type(`${line}\r`);
  await running.shows(shown);
}

t.test('in a pipe each line is a message of one conversation, and replies are the output, over each transport', async (t) => {
  const local = await shellFor(t);
  const own = await local.serve(t);
  const http = local.with({ PLATFORM_DATA_DIR: '' });
  await http.run(['login', '--url', own.url, '--username', 'admin', '--password-stdin'], adminPassword);
  const said = async (of: Shell) => {
    const { code, stdout, stderr } = await of.run(['chat'], '/nothing\n\n/help\n');
    t.strictSame([code, stderr], [0, '']);
    t.match(await latest(of), [{ content: '/nothing' }, { role: 'assistant' }, { content: '/help' }, { role: 'assistant' }]);
    return stdout;
  };
  const outputs = [await said(http), await said(local)];
  own.child.kill('SIGTERM');
  await own.ended;
  outputs.push(await said(local));
  t.match(outputs[0], /^There is no command `\/nothing`.*\nI know these commands:/);
  t.equal(new Set(outputs).size, 1, 'the output is the same over each transport');
});

t.test('in a pipe a pending approval ends the conversation with 1', async (t) => {
  const { code, stdout, stderr } = await shell.run(['chat', 'talk'], `${wish}\n/help\n`);
  t.strictSame([code, stdout], [1, '']);
  t.match(stderr, /nobody can be asked here\nhint: approve it with/);
});

t.test('--to chooses a partner by name, and --session an existing conversation', async (t) => {
  await shell.run(['employee', 'create', 'Ada', '--post', 'Assistant']);
  await shell.run(['employee', 'create', 'Adam', '--post', 'Assistant']);
  const named = await shell.run(['chat', '--to', 'ada'], 'Hello\n');
  t.match(named.stdout, /^I am Ada, an AI employee/, 'an exact name comes before the start of another');
  const [session] = JSON.parse((await shell.run(['chat', 'sessions', '--json', 'id'])).stdout) as { id: string }[];
  await shell.run(['chat', '--session', String(session?.id)], 'Again\n');
  t.equal((await latest()).length, 4, 'the message is in the same conversation');
  t.match(await shell.run(['chat', '--to', 'ad'], 'Hello\n'), { code: 3, stderr: /no AI employee 'ad'; there are Ada/ });
  t.match(await shell.run(['chat', '--to', 'nobody'], 'Hello\n'), { code: 3, stdout: '' });
  t.match(await shell.run(['chat', '--to', 'admin'], 'Hello\n'), { code: 3 }, 'people are not AI employees');
  t.match(await shell.run(['chat', '--session', 'x', '--to', 'ada']), { code: 2, stderr: /--to and --session exclude each other/ });
  t.match(await shell.run(['chat', 'snd']), { code: 2, stderr: /unknown command 'snd'/ });
});

t.test('on a terminal a conversation asks for approval, shows tools, stops a reply, and exits', { skip: withoutTerminal }, async (t) => {
  const talk = shell.terminal(['chat'], { NO_COLOR: '1' });
  await talk.shows(/> \S{0,6}$/);
  await enter(talk, wish, 'Allow it? [y/n/later] ');
  t.match(talk.stdout, /→ schedule \{"when":"1h","prompt":"Look at the inbox"\}/);
  await enter(talk, 'maybe', 'Allow it? [y/n/later] ');
  await enter(talk, 'y', /✓ schedule\r\nSchedule \d+ was created[\s\S]*> \S{0,6}$/);
  await enter(talk, wish, 'Allow it? [y/n/later] ');
  await enter(talk, 'later', /approvals decide \S+ approve[\s\S]*> \S{0,6}$/);
  await enter(talk, ':approvals', 'Allow it? [y/n/later] ');
  await enter(talk, 'n', /✗ schedule: admin denied this[\s\S]*> \S{0,6}$/);
  await enter(talk, 'What can you do?', 'I am Assistant');
  talk.type('\u0003');
  await talk.shows(/Stopping the reply[\s\S]*> \S{0,6}$/);
  t.equal((await latest()).at(-1)?.status, 'aborted');
  await enter(talk, ':nothing', /There is no command ':nothing'[\s\S]*> \S{0,6}$/);
  talk.type('half a line\u0003');
  talk.type('\u0003');
  t.equal((await talk.ended).code, 130);
});

t.test('pasted lines are one message, and an image is attached', { skip: withoutTerminal }, async (t) => {
  const path = join(shell.env.HOME ?? '', 'dot.gif');
  await writeFile(path, Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'));
  const talk = shell.terminal(['chat', '--to', 'Ada']);
  await talk.shows(/> \S{0,6}$/);
  await enter(talk, ':attach nothing.png', /can't be read: there is no such file[\s\S]*> \S{0,6}$/);
  await enter(talk, `:attach ${path}`, /Attached to your next message: dot\.gif[\s\S]*> \S{0,6}$/);
  await enter(talk, 'one\rtwo', /I am Ada[\s\S]*> \S{0,6}$/);
  t.equal((await latest())[0]?.content, 'one\ntwo');
  await enter(talk, ':sessions', /NUMBER[\s\S]*> \S{0,6}$/);
  await enter(talk, ':open 2', /This is the conversation[\s\S]*> \S{0,6}$/);
  talk.type('\u0004');
  t.equal((await talk.ended).code, 0);
});

t.test('the conversation goes on after a server restart, even with a new key', { skip: withoutTerminal }, async (t) => {
  const talk = shell.terminal(['chat']);
  await talk.shows(/> \S{0,6}$/);
  await enter(talk, wish, 'Allow it? [y/n/later] ');
  server.child.kill('SIGKILL');
  await server.ended;
  await shell.serve(t);
  await talk.shows(/ended before the reply did[\s\S]*> \S{0,6}$/);
  await enter(talk, '/help', /I know these commands[\s\S]*> \S{0,6}$/);
  await enter(talk, ':quit', '');
  t.equal((await talk.ended).code, 0);
});
