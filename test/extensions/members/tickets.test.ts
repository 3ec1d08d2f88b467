import t from 'tap';
import { fixture, ownExtension } from '../../helpers/platform.js';
import { eachDatabase, failureOf, movableClock, type World } from './world.js';

/** Redeems a ticket as the kernel's entry points do; each call consumes it. */
async function holderOf({ url }: World, ticket: string): Promise<string> {
  const response = await fetch(`${url}/api/x/nodes/watch?ticket=${ticket}`);
  const { code } = response.ok ? { code: 'taken' } : ((await response.json()) as { code: string });
  await response.body?.cancel().catch(() => undefined);
  return code;
}

const extensions = [ownExtension('members'), fixture('neighbour')];

t.test('a ticket works once', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    const { ticket } = await (await world.admin()).auth.ticket();
    t.equal(await holderOf(world, ticket), 'taken');
    t.equal(await holderOf(world, ticket), 'invalid_token');
    t.equal(await holderOf(world, 'forged'), 'invalid_token');
  });
});

t.test('of ten concurrent uses of a ticket one succeeds', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    const { ticket } = await (await world.admin()).auth.ticket();
    const codes = await Promise.all(Array.from({ length: 10 }, () => holderOf(world, ticket)));
    t.equal(codes.filter((code) => code === 'taken').length, 1);
  });
});

t.test("a ticket expires after a minute, and with its creator's credential", async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ extensions, clock });
    const admin = await world.admin();
    const late = await admin.auth.ticket();
    clock.forward(60_001);
    t.equal(await holderOf(world, late.ticket), 'invalid_token', 'time');

    const mia = await world.person('mia');
    const left = await mia.client.auth.ticket();
    await mia.client.auth.logout();
    t.equal(await holderOf(world, left.ticket), 'invalid_token', 'logout');

    const nia = await world.person('nia');
    const token = await nia.client.tokens.create({ name: 'ci', scopes: ['read'] });
    const revoked = await (await world.as(token.token)).auth.ticket();
    await nia.client.tokens.delete({ id: token.id });
    t.equal(await holderOf(world, revoked.ticket), 'invalid_token', 'revocation');

    const reset = await nia.client.auth.ticket();
    await admin.members.reset_password({ id: nia.id, new_password: 'another-one' });
    t.equal(await holderOf(world, reset.ticket), 'invalid_token', 'reset');
  });
});

t.test('a ticket ends with the token that created it', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ extensions, clock, settings: { 'members.access_ttl_s': 60 } });
    const admin = await world.admin();
    const [one, two] = [await admin.auth.ticket(), await admin.auth.ticket()];
    clock.forward(30_000);
    t.equal(await holderOf(world, one.ticket), 'taken');
    const three = await admin.auth.ticket();
    clock.forward(30_001);
    for (const { ticket } of [two, three]) t.equal(await holderOf(world, ticket), 'invalid_token');
  });
});

t.test('a ticket has the scopes of its creator’s token', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ extensions });
    const admin = await world.admin();
    const { token } = await admin.tokens.create({ name: 'chat only', scopes: ['chat'] });
    t.equal((await failureOf((await world.as(token)).auth.ticket())).code, 'scope_missing');
    const reader = await admin.tokens.create({ name: 'reader', scopes: ['read'] });
    t.equal(await holderOf(world, (await (await world.as(reader.token)).auth.ticket()).ticket), 'taken');
  });
});

t.test('a member has at most a hundred unused tickets', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const client = await (await open({ clock })).admin();
    for (let n = 0; n < 100; n += 1) await client.auth.ticket();
    t.same(await failureOf(client.auth.ticket()), { code: 'rate_limited', status: 429, retry_after: 60 });
    clock.forward(60_001);
    t.match(await client.auth.ticket(), { expires_in: 60 });
  });
});
