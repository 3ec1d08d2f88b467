import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { until } from '../helpers/eventually.js';
import { adminPassword } from '../helpers/platform.js';
import { type Shell, shellFor, withoutTerminal } from './shell.js';

interface Sent {
  message_id: string;
  session_id: string;
}

interface Message {
  content: string;
  thread_id: string | null;
  files: { id: string; name: string; bytes: number }[];
}

async function read<Answer>(shell: Shell, ...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await shell.run([...args, '--json']);
  t.strictSame([code, stderr], [0, ''], args.join(' '));
  return JSON.parse(stdout) as Answer;
}

const messageOf = (shell: Shell, { message_id }: Sent) => read<Message>(shell, 'chat', 'message', message_id);

t.test('files are sent with and without a text, in rooms and threads, over every transport, and are saved again', async (t) => {
  const local = await shellFor(t);
  const home = local.env.HOME ?? '';
  const server = await local.serve(t);
  const http = local.with({ PLATFORM_DATA_DIR: '' });
  await http.run(['login', '--url', server.url, '--username', 'admin', '--password-stdin'], adminPassword);
  await local.run(['room', 'create', 'Launch']);
  await writeFile(join(home, 'a.txt'), 'First');
  await writeFile(join(home, 'b\u001B[31m c.md'), '# Second');
  const through = async (name: string, shell: Shell) =>
    t.test(name, async (t) => {
      const both = ['--file', 'a.txt', '--file', join(home, 'b\u001B[31m c.md')];
      const root = await read<Sent>(shell, 'chat', 'send', '--room', 'Launch', 'Two files', ...both);
      const message = await messageOf(shell, root);
      const names = message.files.map((file) => file.name);
      t.strictSame([message.content, names], ['Two files', ['a.txt', 'b c.md']]);
      const out = join(home, `${name}.md`);
      t.equal((await shell.run(['chat', 'file', message.files[1]?.id ?? '', '--out', out])).code, 0);
      t.equal(await readFile(out, 'utf8'), '# Second');
      const reply = await read<Sent>(shell, 'chat', 'send', '--room', 'Launch', '--thread-id', root.message_id, '--file', 'a.txt');
      t.match(await messageOf(shell, reply), { content: '', thread_id: root.message_id, files: [{ name: 'a.txt' }] });
      const uploaded = await read<{ id: string }>(shell, 'chat', 'upload', 'a.txt');
      const mixed = await read<Sent>(shell, 'chat', 'send', '--target-type', '', '--files', uploaded.id, ...both.slice(0, 2));
      const [first, second] = (await messageOf(shell, mixed)).files;
      t.equal(first?.id, uploaded.id);
      t.not(second?.id, uploaded.id);
      const piped = await shell.run(['chat', 'send', '--target-type', '', '--json', '--file', '-'], 'From a pipe');
      t.match(await messageOf(shell, JSON.parse(piped.stdout) as Sent), { files: [{ name: 'stdin', bytes: 11 }] });
      const answered = await shell.run(['chat', 'send', '--follow', '--file', 'a.txt', '/help']);
      t.match(answered, { code: 0, stderr: '', stdout: /^I know these commands/ });
    });
  await through('http', http);
  await through('local', local);
  server.child.kill('SIGTERM');
  await server.ended;
  await through('direct', local);
});

t.test('a file is sent into a running task', async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  await writeFile(join(shell.env.HOME ?? '', 'a.txt'), 'First');
  const { id } = await read<{ id: number }>(shell, 'employee', 'create', 'Careful', '--mode', 'supervised');
  // Its task waits for an approval.
  const { task_id } = await read<Sent & { task_id: string }>(shell, 'chat', 'send', '--target-id', `${id}`, '/call members.list {}');
  const joined = await read<Sent>(shell, 'chat', 'tell', task_id, '--file', 'a.txt');
  t.match(await messageOf(shell, joined), { content: '', files: [{ name: 'a.txt' }] });
  t.match(await shell.run(['chat', 'tell', task_id]), { code: 2, stderr: /^platform: missing required argument 'content'\n/ });
  await shell.run(['chat', 'cancel', task_id]);
});

t.test('if a file cannot be sent, nothing is uploaded or sent', async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  const home = shell.env.HOME ?? '';
  await writeFile(join(home, 'good.txt'), 'Good');
  await writeFile(join(home, 'empty.txt'), '');
  await writeFile(join(home, 'large.bin'), '');
  await truncate(join(home, 'large.bin'), 50 * 1024 * 1024 + 64 * 1024 + 1);
  const many = Array.from({ length: 11 }, () => ['--file', 'good.txt']).flat();
  const refused: Record<string, [args: string[], said: RegExp]> = {
    missing: [['--file', 'none.txt'], /^platform: 'none\.txt' can't be read: there is no such file\n/],
    folder: [['--file', '.'], /^platform: '\.' can't be sent: it is a folder\n/],
    empty: [['--file', 'empty.txt'], /^platform: 'empty\.txt' can't be sent: it is empty\n/],
    large: [['--file', 'large.bin'], /^platform: 'large\.bin' can't be sent: it has 52494337 bytes, and the limit is 52494336\n/],
    device: [['--file', '/dev/zero'], /^platform: '\/dev\/zero' can't be sent: it is not a regular file\n/],
    many: [many.slice(2), /^platform: At most 10 files can be sent at once, not 11\n/],
  };
  for (const [name, [args, said]] of Object.entries(refused)) {
    const ended = await shell.run(['chat', 'send', '--file', 'good.txt', ...args, 'Hello']);
    t.match(ended, { code: 2, stdout: '', stderr: said }, name);
  }
  t.match(await shell.run(['chat', 'send']), { code: 2, stdout: '', stderr: /^platform: missing required argument 'content'\n/ });
  t.match(await shell.run(['chat', 'send', '--file', '-', 'Hello']), { code: 2, stderr: /'-' can't be sent: it is empty/ });
  t.strictSame(await read(shell, 'chat', 'sessions'), []);
  t.match(await read(shell, 'member', 'usage'), { bytes: 0 });

  // The exact limit is the server's own.
  await truncate(join(home, 'large.bin'), 50 * 1024 * 1024 + 1);
  const late = await shell.run(['chat', 'send', '--file', 'good.txt', '--file', 'large.bin', 'Hello']);
  t.match(late, {
    code: 1,
    stdout: '',
    stderr: /^platform: Nothing was sent: 'large\.bin' could not be uploaded\. The file has 52428801 bytes; the limit is 52428800\n/,
  });
  t.strictSame(await read(shell, 'chat', 'sessions'), []);
});

t.test('a file that a message names at the prompt is sent unless the person declines', { skip: withoutTerminal }, async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  const home = shell.env.HOME ?? '';
  await writeFile(join(home, 'report.txt'), 'Quarter');
  await writeFile(join(home, '.secret'), 'Secret');
  await shell.run(['room', 'create', 'Launch']);
  const talk = shell.terminal(['chat'], { NO_COLOR: '1' });
  await talk.shows(/> \S{0,6}$/);
  talk.type(':op\t');
  await talk.shows(':open ');
  talk.type('La\t');
  await talk.shows(':open Launch');
  talk.stdout = '';
  talk.type('\r');
  await talk.shows(/the room 'Launch'[\s\S]*> \S{0,6}$/);
  talk.type('Read @rep\t');
  await talk.shows('Read @report.txt ');
  talk.stdout = '';
  talk.type('\r');
  await talk.shows(/With this message: report\.txt \(7 B\)[\s\S]*> \S{0,6}$/);
  const messages = () => read<Message[]>(shell, 'chat', 'messages', 'Launch');
  await until(messages, ({ length }) => length === 1);
  talk.stdout = '';
  talk.type('Read @.secret\r');
  await talk.shows('Send it? [y/n] ');
  talk.type('n\r');
  await talk.shows(/Nothing was sent[\s\S]*> \S{0,6}$/);
  t.match(await messages(), [{ content: 'Read report.txt ', files: [{ name: 'report.txt', bytes: 7 }] }]);
  talk.type('\u0004');
  t.equal((await talk.ended).code, 0);
  t.equal((await shell.run(['chat', '--room', 'Launch'], 'From a pipe @report.txt\n')).code, 0);
  t.match((await messages())[1], { content: 'From a pipe @report.txt', files: [] }, 'a text from elsewhere sends no files');
});
