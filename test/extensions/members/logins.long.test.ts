import { parseOptions } from '@node-rs/argon2';
import t from 'tap';
import { dummyHash, Passwords } from '../../../extensions/members/passwords.js';
import type { AuditRecord } from '../../../kernel/contract/system.js';
import { callerOf } from '../../helpers/platform.js';
import { adminPassword, eachDatabase, eachPair, failureOf, movableClock } from './world.js';

const minute = 60_000;
const day = 24 * 60 * minute;
const invalid_token = { code: 'invalid_token', status: 401 };
const invalid_credentials = { code: 'invalid_credentials', status: 401 };

t.test('an access token has the member, its role, the start and the end', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { 'members.access_ttl_s': 120 } });
    const { access_token, expires_in } = await (await world.as()).auth.login({ username: 'admin', password: adminPassword });
    const [header = {}, claims = {}] = access_token
      .split('.')
      .slice(0, 2)
      .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as Record<string, unknown>);
    t.match(header, { alg: 'HS256', typ: 'JWT', kid: String });
    t.match(claims, { sub: '1', role: 'admin', ver: 1, jti: String, iss: 'platform', aud: 'platform' });
    t.equal(Number(claims.exp) - Number(claims.iat), 120);
    t.equal(expires_in, 120);
  });
});

t.test('an access token expires, and an unsigned one is rejected', async (t) => {
  await eachPair(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const { client, token } = await world.person('mia');
    const [header = '', payload] = token.split('.');
    const unsigning = { ...(JSON.parse(Buffer.from(header, 'base64url').toString()) as object), alg: 'none' };
    const unsigned = `${Buffer.from(JSON.stringify(unsigning)).toString('base64url')}.${payload}.`;
    t.same(await failureOf((await world.as(unsigned)).auth.me()), invalid_token);
    clock.forward(28_799_000 - minute);
    t.equal((await client.auth.me()).username, 'mia');
    clock.forward(minute + 1_000);
    t.same(await failureOf(client.auth.me()), invalid_token);
  });
});

t.test('a made-up refresh token with a known login id revokes nothing', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const nobody = await world.as();
    const kim = await world.person('kim');
    const nia = await world.person('nia');
    const spent = kim.refresh_token;
    const next = await nobody.auth.refresh({ refresh_token: spent });
    const [id = '', secret = '', mark = ''] = spent.split('.');
    const [, foreign = '', foreignMark = ''] = nia.refresh_token.split('.');
    const otherEnds = ['A', 'E', 'I', 'Q', 'g'].filter((end) => !mark.endsWith(end)).map((end) => `${secret}.${mark.slice(0, -1)}${end}`);
    const wrongMarks = [`${secret}.`, `${secret}.${mark}.x`, `${secret}.${mark}=`, `${foreign}.${mark}`, ...otherEnds];
    const madeUp = ['', 'x', secret, `${foreign}.${foreignMark}`, ...wrongMarks];
    for (const rest of madeUp) t.same(await failureOf(nobody.auth.refresh({ refresh_token: `${id}.${rest}` })), invalid_token, rest);
    t.same(await failureOf(nobody.auth.refresh({ refresh_token: id })), invalid_token);
    t.equal((await (await world.as(next.access_token)).auth.me()).username, 'kim', 'the login continues');
    const later = await nobody.auth.refresh({ refresh_token: next.refresh_token as string });
    const last = await nobody.auth.refresh({ refresh_token: later.refresh_token as string });
    t.equal(last.token_type, 'bearer');

    t.same(
      await failureOf(nobody.auth.refresh({ refresh_token: spent })),
      { code: 'refresh_token_reused', status: 401 },
      'the token was used long ago',
    );
    t.same(await failureOf(nobody.auth.refresh({ refresh_token: last.refresh_token as string })), invalid_token);
    t.equal((await nia.client.auth.me()).username, 'nia');
  });
});

t.test('a refresh token expires 30 days after its last use', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const nobody = await world.as();
    const { refresh_token } = await world.person('mia');
    clock.forward(29 * day);
    const next = await nobody.auth.refresh({ refresh_token });
    clock.forward(30 * day + 1);
    t.same(await failureOf(nobody.auth.refresh({ refresh_token: next.refresh_token as string })), invalid_token);
  });
});

t.test('logging out ends only this login', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const nobody = await world.as();
    const { client, refresh_token } = await world.person('lou');
    const other = await nobody.auth.login({ username: 'lou', password: 'secret-lou' });
    t.same(await client.auth.logout(), { logged_out: true });
    t.same(await failureOf(client.auth.me()), invalid_token);
    t.same(await failureOf(nobody.auth.refresh({ refresh_token })), invalid_token);
    t.equal((await (await world.as(other.access_token)).auth.me()).username, 'lou');
  });
});

t.test('a caller through the data folder has no login to end', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const { kernel } = await shared();
    const { body } = await kernel.invoke('auth.logout', {}, await kernel.localCaller('local'));
    t.same(body, { logged_out: false });
  });
});

t.test('checking the decoy takes as long as checking a password', async (t) => {
  t.same(parseOptions(dummyHash), parseOptions(await new Passwords().hash('12345678')));
});

t.test('twenty concurrent logins succeed and block nobody', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const nobody = await world.as();
    const { client } = await world.person('tom');
    const start = performance.now();
    let took = 0;
    const logins = Promise.all(Array.from({ length: 20 }, () => nobody.auth.login({ username: 'tom', password: 'secret-tom' }))).finally(
      () => {
        took = performance.now() - start;
      },
    );
    const waits: number[] = [];
    while (took === 0) {
      const asked = performance.now();
      await client.members.get({ id: 1 });
      waits.push(performance.now() - asked);
    }
    t.equal(new Set((await logins).map(({ access_token }) => access_token)).size, 20);
    const median = waits.sort((one, other) => one - other)[Math.floor(waits.length / 2)] ?? took;
    t.ok(
      waits.length >= 5 && median < took / 3,
      `${waits.length} concurrent reads, with a median of ${median.toFixed()} of ${took.toFixed()} ms`,
    );
  });
});

t.test('a login concurrent with a password change ends with it or never starts', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const nobody = await world.as();
    const admin = await world.admin();
    // Passwords are hashed two at a time in the order of asking: the logins are checked before, beside and after the change.
    for (const before of [0, 1, 2, 3]) {
      const [username, password] = [`bea-${before}`, 'the old one'];
      const { id } = await admin.members.create({ username, password });
      const logIn = (count: number) => Array.from({ length: count }, () => nobody.auth.login({ username, password }));
      const earlier = logIn(before);
      const reset = admin.members.reset_password({ id, new_password: 'the new one' });
      const logins = await Promise.allSettled([...earlier, ...logIn(4 - before)]);
      await reset;
      for (const login of logins) {
        if (login.status === 'rejected') t.match(login.reason, { code: 'invalid_credentials' });
        else t.same(await failureOf((await world.as(login.value.access_token)).auth.me()), invalid_token);
      }
    }
  });
});

t.test('changing the password revokes all earlier credentials', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const nobody = await world.as();
    const { client, refresh_token } = await world.person('cora');
    const personal = await world.as((await client.tokens.create({ name: 'ci' })).token);
    t.equal((await personal.auth.me()).username, 'cora');
    const fresh = await client.auth.password({ current_password: 'secret-cora', new_password: 'another-one' });
    for (const old of [client, personal]) t.same(await failureOf(old.auth.me()), invalid_token);
    t.same(await failureOf(nobody.auth.refresh({ refresh_token })), invalid_token);
    t.same(await failureOf(nobody.auth.login({ username: 'cora', password: 'secret-cora' })), invalid_credentials);
    t.equal((await (await world.as(fresh.access_token)).auth.me()).username, 'cora');
    t.equal((await nobody.auth.login({ username: 'cora', password: 'another-one' })).token_type, 'bearer');
  });
});

t.test('wrong current passwords count as failed logins', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const { client } = await world.person('walt');
    const guess = () => failureOf(client.auth.password({ current_password: 'x', new_password: 'another-one' }));
    for (let n = 0; n < 10; n += 1) t.same(await guess(), { code: 'wrong_password', status: 403 });
    t.match(await guess(), { code: 'rate_limited' });
  });
});

t.test('logins and failed ones are in the audit trail with the username, without the password', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const nobody = await world.as();
    const zoe = await world.person('zoe');
    await failureOf(nobody.auth.login({ username: 'ZOE', password: 'not hers' }));
    await failureOf(nobody.auth.login({ username: 'my-password-by-mistake', password: 'x' }));
    await failureOf(zoe.client.auth.password({ current_password: 'not hers', new_password: 'never taken' }));
    const { refresh_token } = zoe;
    let newest: string | undefined = refresh_token;
    for (let n = 0; n < 3; n += 1) newest = (await nobody.auth.refresh({ refresh_token: newest as string })).refresh_token;
    await failureOf(nobody.auth.refresh({ refresh_token }));

    const { body } = await world.kernel.invoke('audit.list', { limit: 5 }, callerOf());
    const target = String(zoe.id);
    const nothing = JSON.stringify({});
    t.match((body as AuditRecord[]).reverse(), [
      {
        operation: 'auth.login',
        outcome: 'success',
        target,
        member_id: zoe.id,
        username: 'zoe',
        input: { username: '[redacted]', password: '[redacted]' },
      },
      { operation: 'auth.login', outcome: 'invalid_credentials', target, member_id: 0, username: 'zoe', times: 1 },
      { operation: 'auth.login', outcome: 'invalid_credentials', target: '', member_id: 0, username: '' },
      { operation: 'auth.password', outcome: 'wrong_password', member_id: zoe.id, username: 'zoe' },
      { operation: 'auth.refresh', outcome: 'refresh_token_reused', target, member_id: 0, username: 'zoe' },
    ]);
    t.same(
      (body as AuditRecord[]).map(({ outcome, input }) => (outcome === 'success' ? nothing : JSON.stringify(input))),
      Array.from({ length: 5 }, () => nothing),
    );
    const text = JSON.stringify(body);
    for (const typed of ['not hers', 'my-password-by-mistake', 'never taken', refresh_token]) t.notOk(text.includes(typed), typed);
  });
});
