import t from 'tap';
import { adminPassword, openWorld, type World } from '../extensions/members/world.js';

const behindProxy = { trusted_proxies: ['127.0.0.1'] };

interface Answer {
  status: number;
  cookie: string | undefined;
}

async function logIn({ url }: World, from: string, credentials: object, cookie?: string): Promise<Answer> {
  const answer = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': from, ...(cookie === undefined ? {} : { cookie }) },
    body: JSON.stringify(credentials),
  });
  await answer.arrayBuffer();
  return { status: answer.status, cookie: answer.headers.get('set-cookie') ?? undefined };
}

/** Logins that fail without a pause from twenty addresses in twenty networks, with names that exist and names that don't. */
function flood(world: World): { stop(): Promise<Record<number, number>> } {
  const statuses: Record<number, number> = {};
  let running = true;
  const attacker = async (n: number) => {
    for (let turn = 0; running; turn += 1) {
      const username = turn % 2 === 0 ? 'admin' : `guess-${n}-${turn}`;
      const { status } = await logIn(world, `198.51.${n}.7`, { username, password: `wrong-${turn}` });
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const attackers = Array.from({ length: 160 }, (_, n) => attacker(n % 20));
  return {
    async stop() {
      running = false;
      await Promise.all(attackers);
      return statuses;
    },
  };
}

t.test('fifty of fifty people log in while twenty networks guess passwords', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', settings: behindProxy });
  const admin = await world.admin();
  const names = ['ann', 'ben', 'cid', 'dot', 'eve'];
  for (const username of names) await admin.members.create({ username, password: `secret-${username}` });
  const attack = flood(world);
  const people = names.map(async (username, n) => {
    const found: number[] = [];
    for (let turn = 0; turn < 10; turn += 1)
      found.push((await logIn(world, `203.0.${n}.${turn + 1}`, { username, password: `secret-${username}` })).status);
    return found;
  });
  const answers = (await Promise.all(people)).flat();
  const statuses = await attack.stop();
  t.same(
    answers.filter((status) => status !== 200),
    [],
  );
  t.equal(answers.length, 50);
  t.same(
    Object.keys(statuses).filter((status) => status !== '401' && status !== '429'),
    [],
    'each guess is wrong or rate-limited',
  );
});

t.test("other people's failures lock out nobody with a known address or device", async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', settings: behindProxy });
  const credentials = { username: 'admin', password: adminPassword };
  await (await world.admin()).members.create({ username: 'mallory', password: 'secret-mallory' });
  const { device_token } = await (await world.as()).auth.login({ ...credentials, device_token: null });
  const { cookie = '' } = await logIn(world, '203.0.113.5', credentials);
  t.match(cookie, /^platform_device=[\w.-]+; Path=\/api\/auth; Max-Age=7776000; HttpOnly; SameSite=Strict$/);
  const [mark = ''] = cookie.split(';');
  // A hundred failures from ten networks close the name to strangers for an hour.
  for (let n = 0; n < 100; n += 1) await logIn(world, `198.51.${n % 10}.7`, { ...credentials, password: 'wrong' });
  t.equal((await logIn(world, '192.0.2.9', credentials)).status, 429, 'a stranger waits, even with the right password');
  t.equal((await logIn(world, '203.0.113.5', credentials)).status, 200, 'the address of an earlier login does not wait');
  t.equal((await logIn(world, '192.0.2.9', credentials, mark)).status, 200, 'the device of an earlier login does not wait');
  t.equal((await logIn(world, '192.0.2.9', { ...credentials, device_token })).status, 200, 'a device token does not wait');
  t.equal((await logIn(world, '192.0.2.10', credentials, `${mark.slice(0, -3)}xyz`)).status, 429, 'a forged device token has no effect');

  const other = (await logIn(world, '192.0.2.11', { username: 'mallory', password: 'secret-mallory' })).cookie?.split(';')[0];
  t.equal((await logIn(world, '192.0.2.12', credentials, other)).status, 429, "another account's device token has no effect");
});
