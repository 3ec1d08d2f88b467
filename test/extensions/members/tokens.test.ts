import t from 'tap';
import { eachDatabase, eachPair, failureOf, movableClock, until } from './world.js';

const scope_missing = { code: 'scope_missing', status: 403 };
const invalid_token = { code: 'invalid_token', status: 401 };

t.test('a personal token has its scopes but never more rights than its member', async (t) => {
  await eachPair(t, async (t, open) => {
    const world = await open();
    const admin = await world.admin();
    const mia = await world.person('mia');
    const reader = await world.as((await admin.tokens.create({ name: 'r', scopes: ['read'] })).token);
    t.equal((await reader.members.list()).total, 2);
    t.same(await failureOf(reader.members.create_virtual({ name: 'Ada' })), scope_missing);
    const manager = await world.as((await admin.tokens.create({ name: 'a', scopes: ['admin'] })).token);
    t.match(await manager.members.create_virtual({ name: 'Ada' }), { username: 'ada' });
    const pretender = await world.as((await mia.client.tokens.create({ name: 'p', scopes: ['admin'] })).token);
    t.same(await failureOf(pretender.members.create_virtual({ name: 'Eva' })), { code: 'forbidden', status: 403 });
  });
});

t.test('a personal token can neither create nor revoke tokens', async (t) => {
  await eachPair(t, async (t, open) => {
    const world = await open();
    const { id, token } = await (await world.admin()).tokens.create({ name: 'all' });
    const client = await world.as(token);
    t.same(await failureOf(client.tokens.create({ name: 'more' })), scope_missing);
    t.same(await failureOf(client.tokens.delete({ id })), scope_missing);
  });
});

t.test('a personal token ends by revocation, expiry or its own logout', async (t) => {
  await eachPair(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const { client } = await world.person('mia');
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    const [one, two, three] = [
      await client.tokens.create({ name: 'one' }),
      await client.tokens.create({ name: 'two', expires_at }),
      await client.tokens.create({ name: 'three' }),
    ];
    t.match(one.token, /^plat_[\w-]{43}$/);
    t.equal(two.expires_at, expires_at);
    const [first, second, third] = await Promise.all([one, two, three].map(({ token }) => world.as(token)));
    for (const used of [first, second, third]) t.equal((await used?.auth.me())?.username, 'mia');
    await client.tokens.delete({ id: one.id });
    t.same(await failureOf(first?.auth.me() ?? Promise.resolve()), invalid_token);
    t.same(await third?.auth.logout(), { logged_out: true });
    t.same(await failureOf(third?.auth.me() ?? Promise.resolve()), invalid_token);
    clock.forward(60_000);
    t.same(await failureOf(second?.auth.me() ?? Promise.resolve()), invalid_token);
    t.same(
      (await client.tokens.list()).map(({ name }) => name),
      ['two'],
      'an expired token is listed until it is deleted',
    );
  });
});

t.test('the last use of a personal token is recorded to the minute', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const { client } = await world.person('mia');
    const user = await world.as((await client.tokens.create({ name: 'ci' })).token);
    const lastUse = async () => (await client.tokens.list())[0]?.last_used_at ?? null;
    t.equal(await lastUse(), null);
    await user.auth.me();
    await until(async () => (await lastUse()) !== null);
    const first = await lastUse();
    clock.forward(30_000);
    await user.auth.me();
    t.equal(await lastUse(), first);
    clock.forward(60_000);
    await user.auth.me();
    await until(async () => (await lastUse()) !== first);
  });
});

t.test('a member has at most a hundred personal tokens', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const { client } = await world.person('mia');
    for (let n = 0; n < 100; n += 1) await client.tokens.create({ name: `t${n}` });
    t.same(await failureOf(client.tokens.create({ name: 'more' })), { code: 'token_limit_reached', status: 409 });
    await client.tokens.delete({ id: (await client.tokens.list())[0]?.id ?? 0 });
    t.match(await client.tokens.create({ name: 'more' }), { name: 'more' });
  });
});
