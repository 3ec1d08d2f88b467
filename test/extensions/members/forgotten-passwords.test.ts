import t, { type Test } from 'tap';
import type { AuditRecord } from '../../../kernel/contract/index.js';
import { until } from '../../helpers/eventually.js';
import { ownExtension, type PlatformOptions } from '../../helpers/platform.js';
import { type MailServer, startMailServer } from '../../helpers/vendors/mail.js';
import { eachDatabase, failureOf, movableClock, type World } from './world.js';

const minute = 60_000;
const password = 'long enough';
const unknown = { code: 'reset_not_found', status: 404 };

interface Post {
  server: MailServer;
  options: PlatformOptions;
}

/** Options of a platform that mails. */
async function mailing(t: Test): Promise<Post> {
  const server = await startMailServer(t);
  const smtp = {
    'notifications.smtp.host': '127.0.0.1',
    'notifications.smtp.port': server.port,
    'notifications.smtp.secure': 'none',
  } as const;
  const settings = { ...smtp, base_url: 'https://work.example' };
  return { server, options: { extensions: ['members', 'notifications'].map(ownExtension), settings } };
}

/** Makes a person with an address. */
async function personOf(world: World, username: string) {
  const person = await world.person(username);
  await (await world.admin()).members.update({ id: person.id, email: `${username}@example.com` });
  return person;
}

/** Waits for mails, and returns their links' tokens. */
async function tokensIn({ server }: Post, count: number): Promise<string[]> {
  const mails = await until(
    () => server.mails,
    ({ length }) => length >= count,
  );
  return mails.map(({ text }) => /reset-password\/([\w-]{43})/.exec(text.replaceAll(/=\r?\n/g, ''))?.[1] as string);
}

t.test('a mailed link sets a new password once, and ends what the old one opened', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const post = await mailing(t);
    const world = await open(post.options);
    const nobody = await world.as();
    t.same(await nobody.auth.methods(), { password_reset: true });
    const mia = await personOf(world, 'mia');
    const script = await world.as((await mia.client.tokens.create({ name: 'script' })).token);
    t.same(await nobody.auth.forgot_password({ username: ' MIA ' }), { requested: true });
    t.same(await nobody.auth.forgot_password({ username: 'Mia@Example.com' }), { requested: true });
    const [token = '', second = ''] = await tokensIn(post, 2);
    t.match(post.server.mails, [{ to: ['mia@example.com'] }, { to: ['mia@example.com'] }]);
    t.match(await failureOf(nobody.auth.reset_password({ token, new_password: 'short' })), { code: 'invalid_input' });
    t.equal((await mia.client.auth.me()).username, 'mia', 'a request ends nothing');
    const tries = Array.from({ length: 8 }, (_, n) =>
      nobody.auth.reset_password({ token, new_password: `${password} ${n}` }).then(
        () => n,
        (fault: { code: string }) => fault.code,
      ),
    );
    const outcomes = await Promise.all(tries);
    const won = outcomes.filter((outcome) => typeof outcome === 'number');
    t.equal(won.length, 1, 'one of many uses at once');
    t.same([...new Set(outcomes.filter((outcome) => typeof outcome === 'string'))], ['reset_not_found']);
    t.same(await failureOf(nobody.auth.reset_password({ token: second, new_password: password })), unknown, 'nor does the other link');
    for (const ended of [mia.client, script]) t.match(await failureOf(ended.auth.me()), { code: 'invalid_token' });
    t.match(await failureOf(nobody.auth.login({ username: 'mia', password: 'secret-mia' })), { code: 'invalid_credentials' });
    t.equal((await nobody.auth.login({ username: 'mia', password: `${password} ${won[0]}` })).token_type, 'bearer');
  });
});

t.test('nobody learns whether there is an account, and only one with an address gets a mail', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const post = await mailing(t);
    const world = await open(post.options);
    const [admin, nobody] = [await world.admin(), await world.as()];
    const inactive = await personOf(world, 'gone');
    await admin.members.update({ id: inactive.id, active: false });
    await world.person('plain');
    await admin.members.create_virtual({ name: 'Robo' });
    await personOf(world, 'mia');
    for (const username of ['gone', 'gone@example.com', 'plain', 'robo', 'nobody-here', 'a b', 'x'.repeat(256)])
      t.same(await nobody.auth.forgot_password({ username }), { requested: true }, username);
    t.same(await nobody.auth.forgot_password({ username: 'mia' }), { requested: true });
    await tokensIn(post, 1);
    t.same(
      post.server.mails.map(({ to }) => to),
      [['mia@example.com']],
    );
  });
});

t.test('a link ends after 30 minutes and with any change of the account', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const post = await mailing(t);
    const world = await open({ ...post.options, clock });
    const nobody = await world.as();
    const { id } = await personOf(world, 'mia');
    let mails = 0;
    const link = async () => {
      clock.forward(31 * minute);
      await nobody.auth.forgot_password({ username: 'mia' });
      mails += 1;
      return (await tokensIn(post, mails)).at(-1) as string;
    };
    const fails = async (token: string, why: string) =>
      t.same(await failureOf(nobody.auth.reset_password({ token, new_password: password })), unknown, why);
    const ends: Record<string, () => Promise<unknown>> = {
      time: async () => clock.forward(30 * minute),
      address: async () => (await world.admin()).members.update({ id, email: `mia-${mails}@example.com` }),
      password: async () => (await world.admin()).members.reset_password({ id, new_password: password }),
      role: async () => (await world.admin()).members.update({ id, role: 'admin' }),
      deactivation: async () => (await world.admin()).members.update({ id, active: false }),
    };
    for (const [why, end] of Object.entries(ends)) {
      const token = await link();
      await end();
      await fails(token, why);
    }
  });
});

t.test('requests are limited for a client, and mails for an account', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const post = await mailing(t);
    const world = await open({ ...post.options, clock });
    const nobody = await world.as();
    await personOf(world, 'mia');
    for (let n = 0; n < 10; n += 1) await nobody.auth.forgot_password({ username: 'mia' });
    t.match(await failureOf(nobody.auth.forgot_password({ username: 'somebody' })), { code: 'rate_limited', status: 429 });
    await tokensIn(post, 3);
    clock.forward(minute);
    t.same(await nobody.auth.forgot_password({ username: 'mia' }), { requested: true });
    t.equal(post.server.mails.length, 3);
  });
});

t.test('without a mail server nothing is offered', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const nobody = await (await open()).as();
    t.same(await nobody.auth.methods(), { password_reset: false });
    t.same(await failureOf(nobody.auth.forgot_password({ username: 'admin' })), { code: 'mail_not_set_up', status: 409 });
    t.same(await failureOf(nobody.auth.reset_password({ token: 'x'.repeat(43), new_password: password })), unknown);
  });
});

t.test('a link begins with the configured address, whatever the request says', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const post = await mailing(t);
    const world = await open({ ...post.options, settings: { ...post.options.settings, trusted_proxies: ['127.0.0.1'] } });
    await personOf(world, 'mia');
    const headers = { 'content-type': 'application/json', 'x-forwarded-host': 'evil.example', 'x-forwarded-for': '203.0.113.5' };
    await fetch(`${world.url}/api/auth/forgot-password`, { method: 'POST', headers, body: JSON.stringify({ username: 'mia' }) });
    await tokensIn(post, 1);
    const text = post.server.mails[0]?.text.replaceAll(/=\r?\n/g, '');
    t.match(text, /https:\/\/work\.example\/reset-password\//);
    t.notMatch(text, /evil/);
  });
});

t.test('neither links nor names that were typed are in the log or the audit trail', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const post = await mailing(t);
    const world = await open({ ...post.options, settings: { ...post.options.settings, log_level: 'debug' } });
    const nobody = await world.as();
    const { id } = await personOf(world, 'mia');
    await nobody.auth.forgot_password({ username: 'my-password-by-mistake' });
    await nobody.auth.forgot_password({ username: 'mia' });
    const [token = ''] = await tokensIn(post, 1);
    await nobody.auth.reset_password({ token, new_password: password });
    const { body } = await world.kernel.invoke('audit.list', { limit: 3 }, await world.kernel.localCaller('direct'));
    t.match(body, [
      { operation: 'auth.reset_password', outcome: 'success', target: String(id), username: 'mia', member_id: id },
      { operation: 'auth.forgot_password', outcome: 'success', username: '' },
      { operation: 'auth.forgot_password', outcome: 'success', username: '' },
    ]);
    const seen = JSON.stringify([body as AuditRecord[], world.lines]);
    for (const secret of [token, password, 'my-password-by-mistake']) t.notOk(seen.includes(secret), secret);
  });
});
