import t from 'tap';
import { adminPassword, eachDatabase, eachPair, failureOf, movableClock } from './world.js';

const kidOf = (token: string) => (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

t.test('a rotation changes the signing key without logging anybody out', async (t) => {
  await eachPair(t, async (t, open) => {
    const world = await open();
    const before = await world.person('mia');
    const { kid } = await (await world.admin()).auth.rotate_key();
    const after = await (await world.as()).auth.login({ username: 'mia', password: 'secret-mia' });
    t.not(kidOf(before.token), kid);
    t.equal(kidOf(after.access_token), kid);
    for (const token of [before.token, after.access_token]) t.equal((await (await world.as(token)).auth.me()).username, 'mia');
  });
});

t.test('an old key is deleted once all its tokens have expired', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock, settings: { 'members.access_ttl_s': 600 } });
    const admin = await world.admin();
    await admin.auth.rotate_key();
    clock.forward(540_000);
    t.equal((await admin.auth.me()).username, 'admin', 'the old key is kept until its last token expires');
    clock.forward(60_000);
    t.same(await failureOf(admin.auth.me()), { code: 'invalid_token', status: 401 });
  });
});

t.test('the keys survive a restart', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const first = await open();
    const { access_token } = await (await first.as()).auth.login({ username: 'admin', password: adminPassword });
    await first.kernel.close();
    const second = await open({ settings: first.settings });
    t.equal((await (await second.as(access_token)).auth.me()).username, 'admin');
  });
});
