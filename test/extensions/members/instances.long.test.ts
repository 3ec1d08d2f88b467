import t, { type Test } from 'tap';
import { freshPostgres } from '../../helpers/databases.js';
import { skipWithout } from '../../helpers/parts.js';
import { fixture, ownExtension } from '../../helpers/platform.js';
import { startRedis } from '../../helpers/redis.js';
import { failureOf, movableClock, openWorld, until, type World } from './world.js';

const secret_key = 'a key that all instances know, 32+';
const ended = { code: 'invalid_token', status: 401 };

/** Two instances on one database; joined by Redis, or by nothing, as when Redis is lost. */
async function two(t: Test, bus_url: string, clock = movableClock()): Promise<[World, World]> {
  const settings = { database_url: await freshPostgres(), bus_url, secret_key };
  const open = () =>
    openWorld(t, 'postgres', { way: 'http', settings, clock, extensions: [ownExtension('members'), fixture('neighbour')] });
  return Promise.all([open(), open()]);
}

t.test('two instances that start at once create one administrator', { skip: skipWithout('postgres') }, async (t) => {
  const [a, b] = await two(t, 'memory:');
  for (const world of [a, b]) t.match(await (await world.admin()).members.list(), { total: 1 });
});

t.test('a revocation on one instance applies on the other at once', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const redis = await startRedis();
  t.teardown(() => redis.stop());
  const [a, b] = await two(t, redis.url);
  const admin = await a.admin();
  const ways = {
    logout: async ({ client }: Person) => void (await client.auth.logout()),
    session: async (person: Person) => {
      const [found] = (await person.client.auth.sessions()).filter(({ current }) => current);
      await (await loggedInAgain(a, person)).auth.end_session({ id: found?.id as string });
    },
    everywhere: async (person: Person) => void (await (await loggedInAgain(a, person)).auth.end_sessions({ keep_current: true })),
    reset: async ({ id }: Person) => void (await admin.members.reset_password({ id, new_password: 'another-one' })),
    role: async ({ id }: Person) => void (await admin.members.update({ id, role: 'admin' })),
    delete: async ({ id }: Person) => admin.members.delete({ id }),
  };
  for (const [name, end] of Object.entries(ways)) {
    const person = { ...(await a.person(`mia-${name}`)), username: `mia-${name}` };
    const there = await b.as(person.token);
    t.equal((await there.auth.me()).id, person.id, 'a token of one instance is valid on the other');
    const abort = new AbortController();
    const stream = await fetch(`${b.url}/api/x/nodes/watch?token=${person.token}`, { signal: abort.signal });
    const start = Date.now();
    await end(person);
    // The record of who is deleted may be gone a moment before the other instance hears of it.
    await until(async () => (await failureOf(there.auth.me()).catch(() => undefined))?.status === ended.status);
    t.same(await failureOf(there.auth.me()), ended);
    t.match(await stream.text(), /begun/, 'its stream on the other instance has ended');
    t.ok(Date.now() - start < 4_500, `${name}: ${Date.now() - start} ms`);
  }
});

type Person = Awaited<ReturnType<World['person']>> & { username: string };

async function loggedInAgain(world: World, { username }: Person) {
  const { access_token } = await (await world.as()).auth.login({ username, password: `secret-${username}` });
  return world.as(access_token);
}

t.test('without a bus a revoked token is valid for at most five seconds elsewhere', { skip: skipWithout('postgres') }, async (t) => {
  const clock = movableClock();
  const [a, b] = await two(t, 'memory:', clock);
  const person = await a.person('mia');
  const there = await b.as(person.token);
  t.equal((await there.auth.me()).id, person.id);
  await person.client.auth.logout();
  clock.forward(5_000);
  t.same(await failureOf(there.auth.me()), ended);
});

t.test('tickets, refreshes, rotated keys and failed logins count on all instances', { skip: skipWithout('postgres') }, async (t) => {
  const [a, b] = await two(t, 'memory:');
  const mia = await a.person('mia');
  await (await a.admin()).auth.rotate_key();
  const { access_token } = await (await a.as()).auth.login({ username: 'mia', password: 'secret-mia' });
  t.equal((await (await b.as(access_token)).auth.me()).username, 'mia', 'a key that the other instance has just created is accepted');

  const { ticket } = await mia.client.auth.ticket();
  const asked = async ({ url }: World) => {
    const response = await fetch(`${url}/api/x/nodes/watch?ticket=${ticket}`);
    await response.body?.cancel();
    return response.status;
  };
  t.same([await asked(b), await asked(a)], [200, 401]);

  let refresh_token: string | undefined = mia.refresh_token;
  for (const world of [b, a, b]) ({ refresh_token } = await (await world.as()).auth.refresh({ refresh_token: refresh_token as string }));
  t.match(await failureOf((await a.as()).auth.refresh({ refresh_token: mia.refresh_token })), { code: 'refresh_token_reused' });

  for (let n = 0; n < 10; n += 1) await failureOf((await (n % 2 ? a : b).as()).auth.login({ username: 'nia', password: 'x' }));
  for (const world of [a, b])
    t.match(await failureOf((await world.as()).auth.login({ username: 'nia', password: 'x' })), { code: 'rate_limited' });
});
