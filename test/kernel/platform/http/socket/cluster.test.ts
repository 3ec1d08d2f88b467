import { Redis } from 'ioredis';
import t from 'tap';
import { movableClock } from '../../../../extensions/members/world.js';
import { sharedSettings } from '../../../../helpers/cluster.js';
import { becomes } from '../../../../helpers/eventually.js';
import { Link } from '../../../../helpers/link.js';
import { skipWithout } from '../../../../helpers/parts.js';
import { fixture, startPlatform, temporaryFolder } from '../../../../helpers/platform.js';
import { startServer } from '../../../../helpers/server-process.js';
import { type Client, connect } from './client.js';
import { extensions, worldOf } from './world.js';

const told = (client: Client, id: number) => client.of('presence').findLast(({ data }) => data.member_id === id)?.data;

t.test('sockets work across two instances on PostgreSQL and Redis', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const settings = await sharedSettings(t);
  const clock = movableClock();
  const [one, two] = [
    await worldOf(t, await startPlatform(t, { extensions, settings, clock })),
    await worldOf(t, await startPlatform(t, { extensions, settings, clock })),
  ];
  const [ann, bob] = [await one.person('ann'), await one.person('bob')];

  await t.test('a frame reaches sockets on any instance once and in order', async (t) => {
    const [here, there, other] = [await one.socket(ann), await two.socket(ann), await two.socket(bob)];
    for (const client of [here, there]) {
      client.send({ type: 'subscribe', id: 1, data: { topics: ['frames.news'] } });
      await client.next('ack');
    }
    for (let n = 1; n <= 20; n += 1) await (n % 2 ? one : two).push({ members: [ann.id] }, { type: 'kept', data: { n } });
    await one.push({ members: [ann.id] }, { type: 'passing', data: {} }, { keep: false });
    await two.push({ topic: 'frames.news' }, { type: 'frames.told', data: {} });
    await one.push('everyone', { type: 'all', data: {} });
    await one.push({ members: [ann.id] }, { type: 'last', data: {} });
    for (const client of [here, there]) {
      for (const type of ['passing', 'frames.told', 'all', 'last']) await becomes(t, () => client.of(type).length, 1);
      const heard = client.of('kept').map(({ data }) => data.n as number);
      const of = (rest: number) => heard.filter((n) => n % 2 === rest);
      const sent = Array.from({ length: 10 }, (_, at) => at * 2);
      t.same(
        of(1),
        sent.map((n) => n + 1),
        'frames of the first instance are in order',
      );
      t.same(
        of(0),
        sent.map((n) => n + 2),
        'frames of the second instance are in order',
      );
    }
    t.same(
      here.of('kept').map(({ data }) => data.n),
      there.of('kept').map(({ data }) => data.n),
      'all sockets get both in the same order',
    );
    await becomes(t, () => other.of('all').length, 1);
    for (const type of ['kept', 'passing', 'frames.told', 'last']) t.same(other.of(type), []);
    for (const client of [here, there, other]) await client.close();
  });

  await t.test('a frame to a large group reaches the sockets of its members on any instance', async (t) => {
    const members = [ann.id, bob.id, ...Array.from({ length: 30 }, (_, n) => 1_000 + n)];
    const clients = [await one.socket(ann), await two.socket(ann), await two.socket(bob)];
    for (let n = 1; n <= 20; n += 1) await one.push(n % 3 ? { members } : { members: [ann.id, bob.id] }, { type: 'note', data: { n } });
    for (const client of clients) {
      await becomes(t, () => client.of('note').length, 20);
      t.same(
        client.of('note').map(({ data }) => data.n),
        Array.from({ length: 20 }, (_, at) => at + 1),
      );
      t.same(client.of('resync'), []);
    }
    const redis = new Redis(String(settings.bus_url));
    t.teardown(() => redis.disconnect());
    t.same(await redis.keys('platform:journal:{member:10*'), [], 'nothing is stored for members without a client');

    await redis.del(`platform:journal:{member:${ann.id}}`, `platform:journal:{member:${ann.id}}:entries`);
    const [here, there, other] = clients as [Client, Client, Client];
    const { cursor: after = '' } = here.of('note').at(-1) ?? {};
    await here.close();
    await one.push({ members }, { type: 'last', data: {} });
    t.match(await there.next('resync'), { data: { reason: 'not_kept' } }, 'an open socket whose topic Redis has lost');
    await other.next('last');
    await there.close();
    const again = await two.socket(ann, { query: { after } });
    t.match(await again.next('resync'), { data: { reason: 'not_kept' } }, 'a client that comes back with an old cursor');
    await one.push({ members }, { type: 'last', data: {} });
    await again.next('last');
    for (const client of [other, again]) await client.close();
  });

  await t.test('revoking a token closes its sockets on all instances', async (t) => {
    const eve = await one.person('eve');
    const clients = [await one.socket(eve), await two.socket(eve)];
    await two.ask('members.reset_password', { id: eve.id, new_password: 'another secret' });
    for (const client of clients) t.same(await client.end(), { code: 4003, reason: 'revoked' });
  });

  await t.test('presence covers all instances', async (t) => {
    const watcher = await one.socket(bob);
    const device = await two.socket(ann);
    await becomes(t, () => told(watcher, ann.id)?.status, 'online');
    device.send({ type: 'presence', data: { status: 'dnd' } });
    await becomes(t, () => told(watcher, ann.id)?.status, 'dnd');
    const late = await two.socket(bob);
    await becomes(t, () => told(late, ann.id)?.status, 'dnd');
    t.match(await one.ask('frames.presence', { member_ids: [ann.id] }), [{ status: 'dnd' }]);
    await one.ask('frames.virtual', { member_id: 77, status: 'online' });
    await becomes(t, () => told(watcher, 77)?.status, 'online');
    const third = await worldOf(t, await startPlatform(t, { extensions, settings, clock }));
    t.match(
      await third.ask('frames.presence', { member_ids: [ann.id] }),
      [{ status: 'dnd' }],
      'a starting instance learns the presence of the others',
    );
    await device.close();
    // The other instances hear of it a moment later, and count from then on.
    const offline = async () => {
      clock.forward(10_000);
      await new Promise((resolve) => setTimeout(resolve, 500));
      return told(watcher, ann.id)?.status;
    };
    await becomes(t, offline, 'offline');
  });

  await t.test('members of a killed instance are offline after 30 s', async (t) => {
    const server = await startServer(t, {
      PLATFORM_DATA_DIR: await temporaryFolder(t),
      PLATFORM_DATABASE_URL: String(settings.database_url),
      PLATFORM_BUS_URL: String(settings.bus_url),
      PLATFORM_SECRET_KEY: String(settings.secret_key),
    });
    const watcher = await one.socket(bob);
    const lost = await connect(t, server.url, { token: ann.token });
    await becomes(t, () => told(watcher, ann.id)?.status, 'online');
    await server.kill('SIGKILL');
    t.equal((await lost.end()).code, 1006);
    clock.forward(25_000);
    t.match(await one.ask('frames.presence', { member_ids: [ann.id] }), [{ status: 'online' }]);
    clock.forward(6_000);
    await becomes(t, () => told(watcher, ann.id)?.status, 'offline');
  });
});

t.test(
  'a role changed while Redis was unavailable ends open sockets once it is back',
  { skip: skipWithout('postgres', 'redis') },
  async (t) => {
    const settings = await sharedSettings(t);
    const link = await Link.to(Number(new URL(String(settings.bus_url)).port));
    t.teardown(() => link.close());
    const options = { extensions: [...extensions, fixture('neighbour')], settings };
    const here = await worldOf(t, await startPlatform(t, options));
    const bus_url = `redis://127.0.0.1:${link.port}`;
    const there = await worldOf(t, await startPlatform(t, { ...options, settings: { ...settings, bus_url } }));
    const [ann, bob] = [await here.person('ann'), await here.person('bob')];
    await here.ask('members.update', { id: ann.id, role: 'admin' });
    const { access_token } = await here.ask<{ access_token: string }>('auth.login', { username: 'ann', password: 'secret-ann' });
    const script = await here.ask<{ token: string }>('tokens.create', { name: 'script' }, access_token);
    const login = { ...ann, token: access_token };
    const [first, second, other] = [await there.socket(login), await there.socket({ ...ann, ...script }), await there.socket(bob)];
    const stream = await fetch(`${there.url}/api/x/nodes/watch?token=${script.token}`);
    // A client that has just got its hello may still wait for the first answer of Redis.
    await here.push({ members: [ann.id, bob.id] }, { type: 'kept', data: {} });
    for (const client of [first, second, other]) await client.next('kept');

    link.set({ kind: 'cut' });
    await here.ask('members.update', { id: ann.id, role: 'member' });
    link.heal();
    for (const client of [first, second]) t.same(await client.end(), { code: 4003, reason: 'revoked' });
    t.match(await stream.text(), /event: revoked/);
    other.send({ type: 'subscribe', id: 1, data: { topics: ['frames.news'] } });
    await other.next('ack');
  },
);
