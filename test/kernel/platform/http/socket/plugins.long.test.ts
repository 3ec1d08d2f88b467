import t from 'tap';
import { becomes } from '../../../../helpers/eventually.js';
import { callerOf, ownExtension, startPlatform } from '../../../../helpers/platform.js';
import { failureOf, installSandboxed, pluginFolder } from '../../sandbox/world.js';
import { connect } from './client.js';

const extensions = [ownExtension('members')];

/** A plugin that hears what is said to it and tells all who have subscribed. */
const speaker = `
  const heard = [];
  ctx.topic('xx.news', 'member');
  ctx.topic('xx.secret', 'admin');
  ctx.frame('xx.say', (j) => j.object({ text: j.string().max(10).required() }), async ({ text }, { caller, connection_id }) => {
    heard.push({ text, username: caller.username, door: caller.door, connection: connection_id.length });
    if (text === 'crash') throw new TypeError('a secret detail');
    ctx.push({ topic: 'xx.news' }, { type: 'xx.said', data: { text } });
  });
  ctx.expose({ 'x.heard': op('heard') }, { 'x.heard': () => heard });`;

for (const side of ['in the kernel’s process', 'across the pipe']) {
  t.test(`a plugin has topics and handles frames: ${side}`, async (t) => {
    const platform = await startPlatform(t, { extensions });
    const { kernel, url } = platform;
    const folder = await pluginFolder(t, speaker);
    if (side === 'across the pipe') await installSandboxed(platform, folder);
    else await kernel.installer.install(folder);
    const token = (await kernel.invoke('tokens.create', { name: 'a' }, callerOf())).body as { token: string };
    const client = await connect(t, url, token);
    client.send({ type: 'subscribe', id: 1, data: { topics: ['xx.news', 'xx.secret'] } });
    await client.next('ack');
    client.send({ type: 'xx.say', id: 2, data: { text: 'hello' } });
    t.match(await client.next('xx.said'), { data: { text: 'hello' }, ts: String });
    for (const [text, code] of [
      ['a long text', 'invalid_input'],
      ['crash', 'internal_error'],
    ]) {
      client.send({ type: 'xx.say', id: 3, data: { text } });
      t.match(await client.next('error'), { id: 3, data: { code } });
    }
    t.notMatch(JSON.stringify(client.frames), /secret detail/);
    t.same((await kernel.invoke('x.heard', {}, callerOf())).body, [
      { text: 'hello', username: 'admin', door: 'http', connection: 36 },
      { text: 'crash', username: 'admin', door: 'http', connection: 36 },
    ]);
    // Its replacement and its end leave the socket as it is.
    await kernel.installer.disable('xx');
    client.send({ type: 'xx.say', id: 4, data: { text: 'gone' } });
    t.match(await client.next('error'), { id: 4, data: { code: 'unknown_frame' } });
    await kernel.host.enable('xx');
    client.send({ type: 'xx.say', id: 5, data: { text: 'again' } });
    t.match(await client.next('xx.said'), { data: { text: 'again' } });
  });
}

t.test('a plugin in its own process reaches only the readers of its topics', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const folder = await pluginFolder(
    t,
    `ctx.topic('xx.news', 'member');
     ctx.expose({ 'x.push': op('push') }, { 'x.push': ({ to, frame }) => { ctx.push(to, frame); return {}; } });`,
  );
  await installSandboxed(platform, folder);
  const { token } = (await platform.kernel.invoke('tokens.create', { name: 'a' }, callerOf())).body as { token: string };
  const client = await connect(t, platform.url, { token });
  client.send({ type: 'subscribe', id: 1, data: { topics: ['xx.news', 'extensions', 'log'] } });
  await client.next('ack');
  const frame = { type: 'xx.told', data: {} };
  const refused: [unknown, unknown][] = [
    ['everyone', frame],
    [{ members: [1] }, frame],
    [{ topic: 'extensions' }, frame],
    [{ topic: 'log' }, frame],
    [{ topic: 'xx.news' }, { type: 'message.created', data: {} }],
    [{ topic: 'xx.news' }, { type: 'hello', data: {} }],
    [{ topic: 'xx.news' }, { type: 'xx.told', data: 'text' }],
  ];
  for (const [to, given] of refused) await platform.kernel.invoke('x.push', { to, frame: given }, callerOf());
  await platform.kernel.invoke('x.push', { to: { topic: 'xx.news' }, frame }, callerOf());
  await client.next('xx.told');
  t.equal(client.of('xx.told').length, 1);
  t.same([...client.of('message.created'), ...client.of('extension.changed')], []);
  const refusals = () => platform.lines.filter(({ msg }) => String(msg).startsWith('A frame was not pushed')).length;
  await becomes(t, refusals, refused.length);
});

t.test('names of topics and frames have one owner', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const { installer } = platform.kernel;
  const tries: [string, RegExp, RegExp][] = [
    ["ctx.topic('log', 'member')", /registers 'log' under topics, which belongs to 'kernel'/, /plugin's names begin with 'xx\.'/],
    ["ctx.topic('extensions', 'member')", /registers 'extensions' under topics, which belongs to 'kernel'/, /begin with 'xx\.'/],
    ["ctx.frame('ping', (j) => j.object({}), () => {})", /registers 'ping' under frames, which belongs to 'kernel'/, /begin with 'xx\.'/],
    ["ctx.topic('Upper', 'member')", /'Upper' can't be the name of a topic/, /'Upper' can't be the name of a topic/],
    ["ctx.topic('xx.a', 'member'); ctx.topic('xx.a', 'admin')", /is one already/, /is one already/],
    ["ctx.topic('xx.a', () => true)", /^$/, /contributions are invalid/],
  ];
  for (const [code, inside, across] of tries) {
    const folder = await pluginFolder(t, code);
    if (inside.source !== '^$') await t.rejects(installer.install(folder), { message: inside }, code);
    const failure = await installSandboxed(platform, folder).then(() => ({ message: 'it was installed' }), failureOf);
    t.match(failure, { message: across }, code);
  }
});

t.test('a member who may no longer read a topic receives nothing more of it', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const { kernel, url } = platform;
  const news = (readers: string) =>
    pluginFolder(
      t,
      `ctx.topic('xx.news', '${readers}'); ctx.expose({ 'x.push': op('push') }, { 'x.push': (data) => { ctx.push({ topic: 'xx.news' }, { type: 'xx.told', data }); return {}; } });`,
    );
  await installSandboxed(platform, await news('member'));
  await kernel.invoke('members.create', { username: 'ann', password: 'secret-ann' }, callerOf());
  const { body } = await kernel.invoke('auth.login', { username: 'ann', password: 'secret-ann' }, callerOf());
  const clients = [
    await connect(t, url, { token: (body as { access_token: string }).access_token }),
    await connect(t, url, (await kernel.invoke('tokens.create', { name: 'a' }, callerOf())).body as { token: string }),
  ];
  for (const client of clients) {
    client.send({ type: 'subscribe', id: 1, data: { topics: ['xx.news'] } });
    await client.next('ack');
  }
  await kernel.invoke('x.push', { n: 1 }, callerOf());
  for (const client of clients) await client.next('xx.told');
  await installSandboxed(platform, await news('admin'));
  await kernel.invoke('x.push', { n: 2 }, callerOf());
  t.match(await clients[1]?.next('xx.told'), { data: { n: 2 } });
  clients[0]?.send({ type: 'ping' });
  await clients[0]?.next('pong');
  t.same(
    clients[0]?.of('xx.told').map(({ data }) => data.n),
    [1],
  );
});
