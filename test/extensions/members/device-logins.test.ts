import t from 'tap';
import type { AuditRecord } from '../../../kernel/contract/index.js';
import { eachDatabase, eachPair, failureOf, movableClock, type World } from './world.js';

const client_id = 'platform-cli';
const grant_type = 'urn:ietf:params:oauth:grant-type:device_code';
const unknown = { code: 'device_code_not_found', status: 404 };
const minute = 60_000;

interface Codes {
  device_code: string;
  user_code: string;
  verification_uri: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

/** Sends a form to one of the two addresses of programs. */
async function post(
  { url }: Pick<World, 'url'>,
  path: string,
  fields: Record<string, string> | string,
  headers: Record<string, string> = {},
) {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields);
  const answer = await fetch(`${url}/api/auth/device/${path}`, { method: 'POST', body, headers });
  return { status: answer.status, body: (await answer.json()) as Record<string, string>, request_id: answer.headers.get('x-request-id') };
}

async function start(world: World, more: Record<string, string> = {}): Promise<Codes> {
  const { body } = await post(world, 'code', { client_id, device_name: 'platform on laptop', ...more });
  return body as unknown as Codes;
}

const poll = (world: World, device_code: string) => post(world, 'token', { grant_type, client_id, device_code });

t.test('a confirmed program gets a personal token of the member, once', async (t) => {
  await eachPair(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const mia = await world.person('mia');
    const codes = await start(world);
    t.match(codes, { user_code: /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/, expires_in: 600, interval: 5 });
    t.match(codes, {
      verification_uri: `${world.url}/device`,
      verification_uri_complete: `${world.url}/device?user_code=${codes.user_code}`,
    });
    t.match(await poll(world, codes.device_code), { status: 400, body: { error: 'authorization_pending' }, request_id: /./ });
    const typed = codes.user_code.toLowerCase().replace('-', ' ');
    t.match(await mia.client.auth.device({ user_code: typed }), { name: 'platform on laptop', address: '127.0.0.1' });
    t.match(await mia.client.auth.confirm_device({ user_code: typed, decision: 'approve' }), { decision: 'approve' });
    clock.forward(5_000);
    const { status, body } = await poll(world, codes.device_code);
    t.match({ status, body }, { status: 200, body: { access_token: /^plat_/, token_type: 'Bearer' } });
    t.equal((await (await world.as(body.access_token)).auth.me()).id, mia.id);
    t.match((await mia.client.auth.sessions()).at(-1), { kind: 'command_line', device: 'platform on laptop' });
    t.match(await poll(world, codes.device_code), { status: 400, body: { error: 'invalid_grant' } }, 'no second one');
    t.same(await failureOf(mia.client.auth.confirm_device({ user_code: typed, decision: 'approve' })), unknown);
    const { body: audit } = await world.kernel.invoke('audit.list', { limit: 200 }, await world.kernel.localCaller('direct'));
    t.match(
      (audit as AuditRecord[]).find(({ outcome }) => outcome === 'success'),
      {
        operation: 'auth.confirm_device',
        target: 'platform on laptop',
        username: 'mia',
      },
    );
    const seen = JSON.stringify([audit, world.lines]);
    for (const secret of [codes.user_code, typed, codes.device_code, body.access_token as string]) t.notOk(seen.includes(secret), secret);
  });
});

t.test('of many requests for one token at once, on three instances, one gets it', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const secret_key = 'a key that all instances know, 32+';
    const first = await open({ settings: { secret_key } });
    const isShared = first.database_url.startsWith('postgres');
    const again = () => open({ settings: { secret_key, database_url: first.database_url } });
    const worlds = isShared ? [first, await again(), await again()] : [first];
    const mia = await first.person('mia');
    const { device_code, user_code } = await start(first);
    const confirmations = await Promise.all(
      Array.from({ length: 4 }, () =>
        mia.client.auth.confirm_device({ user_code, decision: 'approve' }).then(
          () => 'done',
          (fault: { code: string }) => fault.code,
        ),
      ),
    );
    t.equal(confirmations.filter((each) => each === 'done').length, 1);
    const replies = await Promise.all(Array.from({ length: 12 }, (_, n) => poll(worlds[n % worlds.length] as World, device_code)));
    t.equal(replies.filter(({ status }) => status === 200).length, 1);
    t.equal((await mia.client.tokens.list()).length, 1);
  });
});

t.test('a refused, an expired and an unknown code give nothing', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const { client } = await world.person('mia');
    const refused = await start(world);
    await client.auth.confirm_device({ user_code: refused.user_code, decision: 'deny' });
    t.match(await poll(world, refused.device_code), { status: 400, body: { error: 'access_denied' } });
    t.match(await poll(world, refused.device_code), { status: 400, body: { error: 'invalid_grant' } });
    const late = await start(world);
    const approved = await start(world);
    await client.auth.confirm_device({ user_code: approved.user_code, decision: 'approve' });
    clock.forward(10 * minute);
    t.same(await failureOf(client.auth.confirm_device({ user_code: late.user_code, decision: 'approve' })), unknown);
    for (const { device_code } of [late, approved])
      t.match(await poll(world, device_code), { status: 400, body: { error: 'expired_token' } });
    t.match(await poll(world, 'x'.repeat(43)), { status: 400, body: { error: 'invalid_grant' } });
    t.same(await client.tokens.list(), []);
  });
});

t.test('an approval ends with the rights of who gave it', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const admin = await world.admin();
    for (const [name, end] of Object.entries({
      password: (id: number) => admin.members.reset_password({ id, new_password: 'long enough' }),
      role: (id: number) => admin.members.update({ id, role: 'admin' }),
      inactive: (id: number) => admin.members.update({ id, active: false }),
      deleted: (id: number) => admin.members.delete({ id }),
    })) {
      const { id, client } = await world.person(`mia-${name}`);
      const { user_code, device_code } = await start(world);
      await client.auth.confirm_device({ user_code, decision: 'approve' });
      await end(id);
      t.match(await poll(world, device_code), { status: 400, body: { error: /access_denied|invalid_grant/ } }, name);
    }
  });
});

t.test('a personal token confirms nothing, so that none creates another', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const { client } = await world.person('mia');
    const script = await world.as((await client.tokens.create({ name: 'script' })).token);
    const { user_code } = await start(world);
    t.match(await failureOf(script.auth.confirm_device({ user_code, decision: 'approve' })), { code: 'scope_missing' });
    t.match(await failureOf(script.auth.device({ user_code })), { code: 'scope_missing' });
    t.match(await failureOf((await world.as()).auth.confirm_device({ user_code, decision: 'approve' })), { code: 'unauthenticated' });
  });
});

t.test('wrong codes are limited for each account: ten a minute and a hundred an hour, also many at once', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const [mia, ben] = [await world.person('mia'), await world.person('ben')];
    const { user_code } = await start(world);
    const guess = (n: number) => failureOf(mia.client.auth.device({ user_code: `BBBB-${'BCDFGHJKLM'[n % 10]}BBB` }));
    const first = await Promise.all(Array.from({ length: 25 }, (_, n) => guess(n)));
    t.equal(first.filter(({ code }) => code === 'device_code_not_found').length, 10);
    t.equal(first.filter(({ code }) => code === 'rate_limited').length, 15);
    t.match(
      await failureOf(mia.client.auth.confirm_device({ user_code, decision: 'approve' })),
      { code: 'rate_limited' },
      'a right one, too',
    );
    t.match(await ben.client.auth.device({ user_code }), { name: 'platform on laptop' }, 'others go on');
    for (let round = 1; round < 10; round += 1) {
      clock.forward(minute);
      for (let n = 0; n < 10; n += 1) t.equal((await guess(n)).code, 'device_code_not_found');
    }
    clock.forward(minute);
    t.equal((await guess(0)).code, 'rate_limited', 'a hundred in an hour');
    t.equal(
      (await (await world.as()).auth.login({ username: 'mia', password: 'secret-mia' })).token_type,
      'bearer',
      'the log-in is not affected',
    );
  });
});

t.test('a program that asks too often is slowed down', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const { device_code } = await start(world);
    const says = async () => (await poll(world, device_code)).body.error;
    t.equal(await says(), 'authorization_pending');
    t.equal(await says(), 'slow_down');
    clock.forward(6_000);
    t.equal(await says(), 'slow_down', 'the interval has grown');
    clock.forward(15_000);
    t.equal(await says(), 'authorization_pending');
  });
});

t.test('requests that are none are refused in the form of the standard', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const json = { 'content-type': 'application/json' };
    const cases: [string, string, Record<string, string>, number, string][] = [
      ['code', '', {}, 400, 'invalid_request'],
      ['code', 'client_id=evil', {}, 401, 'invalid_client'],
      ['code', 'client_id=platform-cli&client_id=platform-cli', {}, 400, 'invalid_request'],
      ['code', '{"client_id":["platform-cli"]}', json, 400, 'invalid_request'],
      ['code', '[]', json, 400, 'invalid_request'],
      ['code', '{', json, 400, 'invalid_request'],
      ['token', `client_id=${client_id}`, {}, 400, 'invalid_request'],
      ['token', `client_id=${client_id}&grant_type=password&device_code=x`, {}, 400, 'unsupported_grant_type'],
      ['token', `client_id=${client_id}&grant_type=${grant_type}`, {}, 400, 'invalid_request'],
      ['code', `client_id=${client_id}&device_name=${'x'.repeat(5_000)}`, {}, 413, 'invalid_request'],
    ];
    for (const [path, body, headers, status, error] of cases)
      t.match(
        await post(world, path, body, headers),
        { status, body: { error, error_description: /./ }, request_id: /./ },
        body.slice(0, 60),
      );
    t.match(await post(world, 'code', JSON.stringify({ client_id }), json), { status: 200 });
    const origin = { origin: 'https://evil.example' };
    t.match(await post(world, 'code', { client_id }, origin), { status: 403 }, 'a page of another site');
  });
});

t.test("a machine's name can't hide or forge what a person decides by", async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const { client } = await world.person('mia');
    const names: Record<string, string> = {
      'a\u202Eb\u0000c\nd': 'abcd',
      ['x'.repeat(100)]: 'x'.repeat(64),
      '\u200B\u200B': 'A program',
    };
    for (const [device_name, name] of Object.entries(names)) {
      const { user_code } = await start(world, { device_name });
      t.equal((await client.auth.device({ user_code })).name, name);
    }
  });
});

t.test('one network holds at most fifty codes', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    for (let n = 0; n < 50; n += 1) await start(world);
    t.match(await post(world, 'code', { client_id }), { status: 429, body: { error: 'slow_down' } });
    clock.forward(11 * minute);
    t.match(await post(world, 'code', { client_id }), { status: 200 });
  });
});
