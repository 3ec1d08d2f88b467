import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { StreamText } from '../../cli/stream-view.js';
import { until } from '../helpers/eventually.js';
import { startModelServer } from '../helpers/model-server.js';
import { adminPassword, temporaryFolder } from '../helpers/platform.js';
import { type Shell, shellFor, withoutTerminal } from './shell.js';

t.test('a message is sent and its reply streamed to the screen, through every transport', async (t) => {
  const local = await shellFor(t);
  const server = await local.serve(t);
  const http = local.with({ PLATFORM_DATA_DIR: '' });
  await http.run(['login', '--url', server.url, '--username', 'admin', '--password-stdin'], adminPassword);
  const replies: string[] = [];
  const talk = async (shell: Shell) => {
    const { code, stdout, stderr } = await shell.run(['chat', 'send', '--follow', 'What can you do?']);
    t.strictSame([code, stderr], [0, '']);
    replies.push(stdout);
  };
  await talk(http);
  await talk(local);
  server.child.kill('SIGTERM');
  await server.ended;
  await talk(local);
  t.equal(new Set(replies).size, 1, 'the reply is the same over each transport');
  const sessions = JSON.parse((await local.run(['chat', 'sessions', '--json', 'id'])).stdout) as { id: string }[];
  t.equal(sessions.length, 3);
  const messages = JSON.parse((await local.run(['chat', 'messages', String(sessions[0]?.id), '--json', 'role,content,status'])).stdout);
  t.strictSame(messages, [
    { role: 'user', content: 'What can you do?', status: 'completed' },
    { role: 'assistant', content: replies[0]?.replace(/\n$/, ''), status: 'completed' },
  ]);
});

t.test('--new opens another conversation with a person, otherwise the existing one is used', async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  await shell.run(['member', 'create', 'grace', '--password-stdin'], 'nanoseconds');
  const read = async <Answer>(...args: string[]) => {
    const { code, stdout, stderr } = await shell.run([...args, '--json']);
    t.strictSame([code, stderr], [0, '']);
    return JSON.parse(stdout) as Answer;
  };
  type Started = { session_id: string; created: boolean };
  const start = (...args: string[]) => read<Started>('chat', 'start', 'grace', ...args);
  const [first, again, other] = [await start(), await start(), await start('--new')];
  t.match([first.created, again.created, other.created], [true, false, true]);
  t.equal(again.session_id, first.session_id);
  t.not(other.session_id, first.session_id);
  const sent = await read<Started>('chat', 'send', 'Hello', '--target-id', 'grace', '--target-type', 'member', '--new');
  t.notOk(
    [first, other].some(({ session_id }) => session_id === sent.session_id),
    'chat send --new opens a third conversation',
  );
  t.equal((await read<unknown[]>('chat', 'sessions')).length, 3);
});

t.test('a failed reply ends the command with its message and 1, in-process and through a server', async (t) => {
  const model = await startModelServer(t);
  const shell = await (await shellFor(t, { PLATFORM_MODEL_BASE_URL: model.url, PLATFORM_MODEL_NAME: 'test-model' })).install();
  const at = `The model 'test-model' at ${new URL(model.url).host}`;
  const failing = async () => {
    model.script((exchange) => {
      exchange.text('A little');
      exchange.finish('content_filter');
    });
    const begun = await shell.run(['chat', 'send', '--follow', 'Hello']);
    const stopped = `${at} stopped its answer by a filter (content_filter). Try again, or name another model in PLATFORM_MODEL_NAME`;
    t.strictSame(begun, { code: 1, stdout: 'A little\n', stderr: `platform: ${stopped}\n` });
    model.script((exchange) => exchange.status(401));
    const sentence = `${at} refused the key: 401 scripted 401. An administrator must check PLATFORM_MODEL_API_KEY`;
    const unbegun = await shell.run(['chat', 'send', '--follow', 'Hello']);
    t.strictSame(unbegun, { code: 1, stdout: '', stderr: `platform: ${sentence}\n` });
  };
  await failing();
  await shell.serve(t);
  await failing();
});

t.test('a reply truncated by its token limit says so beside the text', async (t) => {
  const model = await startModelServer(t);
  const shell = await (await shellFor(t, { PLATFORM_MODEL_BASE_URL: model.url, PLATFORM_MODEL_NAME: 'test-model' })).install();
  model.script((exchange) => {
    exchange.text('A little');
    exchange.finish('length');
  });
  t.match(await shell.run(['chat', 'send', '--follow', 'Hello']), {
    code: 0,
    stdout: 'A little\n',
    stderr: /^Note: The answer was cut off: .*\(max_tokens\)\n$/,
  });
});

t.test('if the server is lost during a reply, the command says that the message is stored and how to continue', async (t) => {
  const model = await startModelServer(t);
  const shell = await shellFor(t, { PLATFORM_MODEL_BASE_URL: model.url, PLATFORM_MODEL_NAME: 'test-model' });
  const server = await shell.serve(t);
  model.script((exchange) => exchange.text('A little'));
  const following = shell.start(['chat', 'send', '--follow', 'Hello']);
  await following.shows('A little');
  server.child.kill('SIGKILL');
  const { code, stderr } = await following.ended;
  const said =
    /; your request had been accepted \(message_id (\S+)\)\nhint: once the server is back, see the result with: platform (.*)\n$/;
  const [, message_id = '', command = ''] = said.exec(stderr) ?? [];
  t.strictSame([code, command], [6, `chat follow ${message_id}`], stderr);
  await shell.serve(t);
  const followed = await shell.run(command.split(' '));
  t.match(followed, { code: 1, stderr: /ended before the reply did/ });
});

t.test('tasks that a command starts in-process are final before it ends', async (t) => {
  const shell = await (await shellFor(t)).install();
  const { code, stdout } = await shell.run(['chat', 'send', 'What can you do?', '--json']);
  t.equal(code, 0);
  const { message_id, session_id } = JSON.parse(stdout) as { message_id: string; session_id: string };
  await shell.serve(t);
  const messages = JSON.parse((await shell.run(['chat', 'messages', session_id, '--json', 'role,status'])).stdout);
  t.strictSame(messages, [
    { role: 'user', status: 'completed' },
    { role: 'assistant', status: 'completed' },
  ]);
  const followed = await shell.run(['chat', 'follow', message_id]);
  t.match([followed.code, followed.stdout], [0, /\S+/], 'a finished reply is replayed');
  const events = (await shell.run(['chat', 'follow', message_id, '--json'])).stdout.trim().split('\n');
  t.equal(JSON.parse(events.at(-1) ?? '').type, 'done');
});

t.test('deltas and whole texts are merged into one text in any mix', async (t) => {
  const text = new StreamText({ delta: 'message.delta', whole: 'message.content' });
  const delta = (piece: string) => text.take({ type: 'message.delta', data: { delta: piece } });
  const whole = (content: string) => text.take({ type: 'snapshot', data: { message: { content } } });
  t.equal(text.take({ type: 'task.updated', data: { task: {} } }), '');
  t.equal(delta('Hel'), 'Hel');
  t.equal(whole('Hello, '), 'lo, ');
  t.equal(delta('Ada\u001B[2J'), 'Ada');
  t.equal(whole('Hello, Ada\u001B[2J'), '');
  t.equal(text.end(), '\n');
  t.equal(whole('Another text\n'), '\nAnother text\n');
  t.equal(text.end(), '');
});

t.test('an exit code other than 0 is a failure, and so is none', async (t) => {
  const text = new StreamText({ delta: 'output', whole: 'text', status: 'exit_code' });
  const failed = (data: object) => text.failed({ type: 'exit', data });
  t.same([{ exit_code: 0 }, {}, { exit_code: 3 }, { exit_code: null }].map(failed), [false, false, true, true]);
});

t.test('a reader may leave before the end of a reply', async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  const running = shell.start(['chat', 'send', '--follow', 'What can you do?']);
  running.child.stdout?.once('data', () => running.child.stdout?.destroy());
  const { code, stderr } = await running.ended;
  t.strictSame([code, stderr], [0, '']);
});

t.test('an image is sent and saved, in-process and through a server', async (t) => {
  const shell = await (await shellFor(t)).install();
  const bytes = Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1');
  const folder = await temporaryFolder(t);
  const saved = async (name: string) => {
    const images = [{ url: `data:image/gif;base64,${bytes.toString('base64')}`, name: 'dot.gif' }];
    const sent = await shell.run(['call', 'chat.send', '--json', JSON.stringify({ content: '', images })]);
    const { message_id } = JSON.parse(sent.stdout) as { message_id: string };
    const message = JSON.parse((await shell.run(['chat', 'message', message_id, '--json'])).stdout) as { images: { url: string }[] };
    const path = join(folder, name);
    const got = await shell.run(['chat', 'image', String(message.images[0]?.url.slice(-64)), '--out', path]);
    t.strictSame(got, { code: 0, stdout: '', stderr: '' });
    t.ok((await readFile(path)).equals(bytes));
    t.match(await shell.run(['chat', 'image', 'a'.repeat(64)]), { code: 3, stdout: '', stderr: /There is no image/ });
  };
  await saved('in-process.gif');
  await shell.serve(t);
  await saved('served.gif');
});

const wish = '/schedule 1h Look at the inbox';

t.test('while a reply waits for approval the command says so and how to approve', async (t) => {
  const shell = await shellFor(t);
  await shell.serve(t);
  const talking = shell.run(['chat', 'send', '--follow', '--wait', '1m', wish]);
  const open = async () =>
    JSON.parse((await shell.run(['approvals', 'list', '--status', 'pending', '--json', 'id'])).stdout) as { id: string }[];
  const [asked] = await until(open, ({ length }) => length > 0);
  await shell.run(['approvals', 'decide', String(asked?.id), 'approve']);
  const { code, stdout, stderr } = await talking;
  t.strictSame(stderr.split('\n').slice(0, 4), [
    '→ schedule {"when":"1h","prompt":"Look at the inbox"}',
    "'schedule' waits for approval. On another terminal:",
    `platform approvals decide ${asked?.id} approve`,
    "'schedule' is approved, by admin",
  ]);
  t.match(stderr, /\n {2}│ Schedule 1 was created.*\n✓ schedule\n$/);
  t.equal(code, 0);
  t.match(stdout, /^Schedule 1 was created/);
});

t.test('without a terminal to approve on, the command ends at once with 1, through a server and in-process', async (t) => {
  const shell = await shellFor(t);
  const server = await shell.serve(t);
  const through = await shell.run(['chat', 'send', '--follow', wish]);
  t.strictSame([through.code, through.stdout], [1, '']);
  t.match(through.stderr, /'schedule' needs approval, and nobody can be asked here\nhint: approve it with: platform approvals decide/);
  const [open] = JSON.parse((await shell.run(['approvals', 'list', '--json', 'id,status'])).stdout) as { id: string; status: string }[];
  t.equal(open?.status, 'pending', 'the approval can still be given');
  const waited = await shell.run(['chat', 'send', '--follow', '--wait', '1s', wish]);
  t.strictSame(waited.code, 1);
  t.match(waited.stderr, /and nobody decided in time/);
  server.child.kill('SIGTERM');
  await server.ended;
  const inside = await shell.run(['chat', 'send', '--follow', wish]);
  t.strictSame([inside.code, inside.stdout], [1, '']);
  t.match(inside.stderr, /\nhint: the work stopped with this process/);
});

t.test('text typed before a question does not answer it', { skip: withoutTerminal }, async (t) => {
  const shell = await (await shellFor(t)).install();
  const following = shell.terminal(['chat', 'send', '--follow', wish]);
  // It waits in the terminal, with and without its Enter, until somebody reads.
  following.type('y\ry');
  await following.shows('Allow it? [y/n/later] ');
  following.type('n\r');
  t.match((await following.ended).stdout, /'schedule' is denied/);
  const [latest] = JSON.parse((await shell.run(['approvals', 'list', '--json', 'status'])).stdout) as { status: string }[];
  t.equal(latest?.status, 'denied');
});
