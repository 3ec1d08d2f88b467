import { readFile } from 'node:fs/promises';
import t from 'tap';
import { callerOf } from '../../../../helpers/platform.js';
import { connect } from './client.js';
import { startWorld } from './world.js';

const world = await startWorld(t);
const ann = await world.person('ann');
const bob = await world.person('bob');

t.test('a frame for a member reaches all its sockets and nobody else’s', async (t) => {
  const [one, two, other] = [await world.socket(ann), await world.socket(ann), await world.socket(bob)];
  await world.push({ members: [ann.id] }, { type: 'note.new', data: { text: 'é 漢字 😀' } });
  await world.push({ members: [bob.id] }, { type: 'note.new', data: { text: 'for bob' } });
  for (const client of [one, two])
    t.match(await client.next('note.new'), { data: { text: 'é 漢字 😀' }, cursor: String, ts: /^\d{4}-.*Z$/ });
  t.match(await other.next('note.new'), { data: { text: 'for bob' } });
  t.equal(one.of('note.new').length + two.of('note.new').length + other.of('note.new').length, 3);
  for (const client of [one, two, other]) await client.close();
});

t.test('frames pushed in a transaction arrive after its commit or never', async (t) => {
  const client = await world.socket(ann);
  await t.rejects(world.push({ members: [ann.id] }, { type: 'note.lost', data: {} }, { fails: true }));
  await t.rejects(world.push('everyone', { type: 'note.lost', data: {} }, { fails: true }));
  await world.push('everyone', { type: 'note.all', data: {} });
  await world.push({ members: [ann.id] }, { type: 'note.kept', data: {} });
  await client.next('note.all');
  await client.next('note.kept');
  t.same(client.of('note.lost'), []);
});

t.test('hello names the caller, and a ping is answered', async (t) => {
  const client = await connect(t, world.url, { token: ann.token });
  const hello = await client.next('hello');
  const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
  t.match(hello, {
    data: { connection_id: /^[0-9a-f-]{36}$/, member_id: ann.id, server_version: version, heartbeat_ms: 30_000, resumed: false },
    cursor: String,
    ts: String,
  });
  client.send({ type: 'ping', id: 'p-1' });
  t.match(await client.next('pong'), { id: 'p-1', data: {} });
  t.match(await client.next('ack'), { id: 'p-1' });
});

t.test('a registered frame is handled as its sender', async (t) => {
  const client = await world.socket(ann);
  client.send({ type: 'frames.say', id: 7, data: { text: 'hello' } });
  t.match(await client.next('ack'), { id: 7 });
  t.same(await world.ask('frames.heard'), { heard: ['ann said hello by 36'] });
  const wrong: [object, object][] = [
    [{ text: 'refuse' }, { statusCode: 409, code: 'frames_refused', message: 'Refused, as asked', request_id: String }],
    [{ text: 'missing' }, { statusCode: 404, code: 'not_found' }],
    [{ text: 'crash' }, { statusCode: 500, code: 'internal_error', message: /log has the cause/ }],
    [{}, { statusCode: 400, code: 'invalid_input', details: [{ path: 'text' }] }],
    [
      { text: 'x'.repeat(21), ms: 'soon' },
      { code: 'invalid_input', details: [{ path: 'text' }, { path: 'ms' }] },
    ],
  ];
  for (const [at, [data, expected]] of wrong.entries()) {
    client.send({ type: 'frames.say', id: at, data });
    t.match(await client.next('error'), { id: at, data: expected });
  }
  t.notMatch(JSON.stringify(client.frames), /a secret detail/);
  t.ok(world.lines.some(({ msg, level }) => msg === 'A frame failed' && level === 'error'));
});

t.test("a client's frames are handled in order", async (t) => {
  const client = await world.socket(bob);
  client.send({ type: 'frames.say', id: 1, data: { text: 'slow', ms: 50 } });
  client.send({ type: 'frames.say', id: 2, data: { text: 'fast' } });
  client.send({ type: 'nothing', id: 3 });
  await client.next('error');
  t.same(
    client.frames.filter(({ id }) => id !== undefined).map(({ type, id }) => [type, id]),
    [
      ['ack', 1],
      ['ack', 2],
      ['error', 3],
    ],
  );
});

t.test('only permitted members can subscribe to a topic', async (t) => {
  const [member, admin] = [await world.socket(ann), await world.socket(world.admin)];
  const even = ann.id % 2 === 0 ? member : await world.socket(bob);
  for (const client of new Set([member, admin])) {
    client.send({ type: 'subscribe', id: 's', data: { topics: ['frames.news'] } });
    t.match(await client.next('ack'), { id: 's' });
  }
  for (const topic of ['frames.secret', 'log', 'extensions']) {
    member.send({ type: 'subscribe', id: 1, data: { topics: ['frames.news', topic] } });
    t.match(await member.next('error'), { id: 1, data: { statusCode: 403, code: 'forbidden' } });
    admin.send({ type: 'subscribe', id: 2, data: { topics: [topic] } });
    t.match(await admin.next('ack'), { id: 2 });
  }
  even.send({ type: 'subscribe', id: 3, data: { topics: ['frames.even'] } });
  t.match(await even.next('ack'), { id: 3 });
  admin.send({ type: 'subscribe', id: 4, data: { topics: ['frames.even'] } });
  t.match(await admin.next('error'), { data: { code: 'forbidden' } });
  admin.send({ type: 'subscribe', id: 5, data: { topics: ['nodes'] } });
  t.match(await admin.next('error'), { id: 5, data: { statusCode: 404, code: 'topic_not_found', message: "There is no topic 'nodes'" } });

  await world.push({ topic: 'frames.secret' }, { type: 'frames.told', data: { n: 1 } });
  await world.push({ topic: 'frames.news' }, { type: 'frames.told', data: { n: 2 } });
  await world.push({ topic: 'frames.unknown' }, { type: 'frames.told', data: { n: 3 } });
  t.match([await admin.next('frames.told'), await admin.next('frames.told')], [{ data: { n: 1 } }, { data: { n: 2 } }]);
  t.match(await member.next('frames.told'), { data: { n: 2 }, cursor: undefined });
  t.equal(member.of('frames.told').length, 1);

  member.send({ type: 'unsubscribe', id: 6, data: { topics: ['frames.news'] } });
  await member.next('ack');
  await world.push({ topic: 'frames.news' }, { type: 'frames.told', data: { n: 4 } });
  await world.push('everyone', { type: 'frames.end', data: {} });
  await member.next('frames.end');
  t.equal(member.of('frames.told').length, 1);
});

t.test('everybody learns which extension changed, and only readers of the topic extensions why', async (t) => {
  const [member, admin] = [await world.socket(ann), await world.socket(world.admin)];
  admin.send({ type: 'subscribe', id: 1, data: { topics: ['extensions'] } });
  await admin.next('ack');
  await world.kernel.invoke('plugins.disable', { name: 'frames' }, callerOf());
  t.same((await member.next('extension.changed')).data, { id: 'frames', state: 'disabled', version: '1.0.0' });
  t.match((await admin.next('extension.changed')).data, { id: 'frames', name: 'frames', state: 'disabled', instance: String });
  await world.kernel.invoke('plugins.enable', { name: 'frames' }, callerOf());
  t.match((await member.next('extension.changed')).data, { id: 'frames', version: '1.0.0' });
  await admin.next('extension.changed');
  t.ok(
    admin.of('extension.changed').every(({ data }) => 'error' in data),
    'each change comes once',
  );
});

t.test('readers of the topic extensions receive changes, and those of log its lines', async (t) => {
  const admin = await world.socket(world.admin);
  admin.send({ type: 'subscribe', id: 1, data: { topics: ['extensions', 'log'] } });
  await admin.next('ack');
  await world.kernel.invoke('plugins.disable', { name: 'frames' }, callerOf());
  t.match(await admin.next('extension.changed'), { data: { name: 'frames', version: '1.0.0', state: 'disabled' } });
  await world.kernel.invoke('plugins.enable', { name: 'frames' }, callerOf());
  t.match(await admin.next('extension.changed'), { data: { name: 'frames', state: 'active', error: null } });
  world.kernel.log.warn('A line with password=hunter2', { token: 'plat_secret' });
  const line = await admin.next('log');
  t.match(line, { data: { level: 'warn', msg: 'A line with password=[redacted]', token: '[redacted]', instance: world.kernel.instance } });
});
