import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { Command } from 'commander';
import t from 'tap';
import { builtinCatalog } from '../../cli/catalog.js';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import { shortIds } from '../../kernel/client/short-ids.js';
import { administrator, login } from '../extensions/chat/world.js';
import { until } from '../helpers/eventually.js';
import { adminPassword, callerOf, ownExtension, startPlatform } from '../helpers/platform.js';
import { nameCases } from './names/lines.js';

const own = ['members', 'chat', 'agents', 'nodes', 'schedules', 'notifications'];

t.test('names are accepted in place of ids', async (t) => {
  const platform = await startPlatform(t, { extensions: own.map(ownExtension), settings: { docker_host: 'unix:///nowhere/docker.sock' } });
  const admin = administrator(platform);
  const invoke = async (operation: string, input: object) => (await platform.kernel.invoke(operation, input, callerOf())).body as never;
  for (const [username, nickname] of [
    ['mary', 'Mary Jones'],
    ['12', 'Twelve'],
    ['sam1', 'Sam Smith'],
    ['sam2', 'Sam Smith'],
  ] as const)
    await admin.members.create({ username, nickname, password: adminPassword });
  await admin.members.create_virtual({ name: 'Otto' });
  await invoke('nodes.register', { name: 'box', node_type: 'docker', host: 'tcp://127.0.0.1:1' });
  const params = { content: 'x' };
  const trigger = { trigger_type: 'interval', trigger_value: '5m', enabled: false };
  await invoke('schedules.create', { name: 'Nightly backup', ...trigger, action: 'chat.send', params });
  const session = await admin.sessions.create({ title: 'Plans', target_type: '', target_id: '' });
  await admin.sessions.create({ title: 'Other', target_type: '', target_id: '' });
  const sent = await admin.chat.send({ content: 'hello there', session_id: session.id });
  const mary = await login(t, platform, 'mary');
  const foreign = await mary.sessions.create({ title: 'Secret', target_type: '', target_id: '' });
  const ids: Readonly<Record<string, string>> = { session: session.id, message: sent.message_id, foreign: foreign.id };
  const { token } = await login(t, platform);
  const env = { PLATFORM_URL: platform.url, PLATFORM_TOKEN: token, NO_COLOR: '1', TERM: 'dumb', XDG_CONFIG_HOME: '/nonexistent' };
  const filled = (word: string) =>
    word.replace(/\{(\w+)(?::(-?\d+))?\}/g, (_found, key: string, cut?: string) => {
      const id = ids[key] as string;
      return cut === undefined ? id : Number(cut) < 0 ? id.slice(Number(cut)) : id.slice(0, Number(cut));
    });

  for (const { name, source, argv, answer, code = 0, says, shows = [] } of nameCases)
    await t.test(`${name} (${source})`, async (t) => {
      const text = { out: '', shown: '' };
      const isTTY = answer !== undefined;
      const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => undefined });
      const stdout = Object.assign(new EventEmitter(), { isTTY, columns: 200, write: (piece: string) => (text.out += piece) });
      const stderr = Object.assign(new PassThrough(), { isTTY });
      stderr.on('data', (piece: Buffer) => (text.shown += piece.toString()));
      if (answer !== undefined)
        void until(
          async () => text.shown.includes('[y/N]'),
          (asked) => asked,
          5_000,
        ).then(
          () => stdin.write(`${answer}\n`),
          () => undefined,
        );
      const ended = await run(new Command('platform'), argv.map(filled), { env, stdin, stdout, stderr } as unknown as Terminal);
      process.exitCode = 0;
      t.equal(ended, code, text.shown);
      for (const part of says) t.ok((code === 0 ? text.out : text.shown).includes(part), `${part} in ${text.out}${text.shown}`);
      for (const part of shows) t.ok(text.shown.includes(part), `${part} in ${text.shown}`);
      if (code !== 0 && answer !== 'n') t.notMatch(text.shown, /\[y\/N\]/);
    });
  const left = await admin.members.list({ page: 1, page_size: 100 });
  t.same(
    left.items.map(({ username }) => username).filter((username) => /^(mary|sam\d)$/.test(username)),
    ['mary', 'sam1', 'sam2'],
  );
});

t.test('shortened ids of a table stay distinct', async (t) => {
  const a = '019329a0-0000-7000-8000-0000aaaa1111';
  const b = '019329a0-0000-7000-8000-0000bbbb1111';
  t.same(shortIds([a, 'no id', '']), ['aaaa1111', 'no id', '']);
  t.same(shortIds([a, b, a]), ['aaaa1111', 'bbbb1111', 'aaaa1111']);
  const c = `${a.slice(0, 20)}1${a.slice(21)}`;
  t.equal(new Set(shortIds([a, c])).size, 2);
});

t.test('every argument with an id has a reference kind, and every confirmation names its target', async (t) => {
  const { commands, operations } = builtinCatalog();
  const ofTheirOwn = ['run_id', 'connection_id', 'file_id'];
  /** Their records have no name. */
  const nameless = ['notification show', 'invitation get', 'invitation delete'];
  for (const { operation, command, refers = {}, arguments: positional = [], confirm } of commands) {
    const { properties = {} } = (operations[operation]?.input ?? {}) as {
      properties?: Record<string, { type?: unknown; format?: string }>;
    };
    const ids = positional.filter(
      (key) => /(^|_)id$/.test(key) && (properties[key]?.type === 'integer' || properties[key]?.format === 'uuid'),
    );
    for (const key of ids.filter((one) => !ofTheirOwn.includes(one) && !nameless.includes(command) && !command.startsWith('extension')))
      t.ok(refers[key], `${command}: ${key}`);
    // It ends all of the caller's own, which is its target.
    if (typeof confirm === 'string' && command !== 'session end-all') t.match(confirm, /\{\w+\}/, command);
  }
});
