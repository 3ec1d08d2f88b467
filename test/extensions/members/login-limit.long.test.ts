import t from 'tap';
import { LoginLimit } from '../../../extensions/members/login-limit.js';
import { migrations } from '../../../extensions/members/migrations/index.js';
import { openStore } from '../../../extensions/members/store.js';
import { eachDatabase as eachStore } from '../../helpers/databases.js';
import { eachDatabase, eachPair, failureOf, movableClock } from './world.js';

const minute = 60_000;
const admin = {
  username: 'admin',
  nickname: 'admin',
  role: 'admin',
  is_virtual: false,
  remote_node_id: null,
  password_hash: null,
} as const;
const invalid_credentials = { code: 'invalid_credentials', status: 401 };

t.test('the eleventh failure in a minute from one address is rejected for any name', async (t) => {
  await eachPair(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const nobody = await world.as();
    await world.person('mia');
    for (const username of ['mia', 'unknown']) {
      for (let n = 1; n <= 10; n += 1) t.same(await failureOf(nobody.auth.login({ username, password: 'x' })), invalid_credentials);
      const refused = await failureOf(nobody.auth.login({ username: username.toUpperCase(), password: 'secret-mia' }));
      t.match(refused, { code: 'rate_limited', status: 429 }, 'the right password is rejected too, in any case of the name');
      t.ok(Number(refused.retry_after) > 50 && Number(refused.retry_after) <= 60);
    }
    t.equal((await (await world.admin()).auth.me()).username, 'admin', 'other addresses may log in');
    clock.forward(minute);
    t.equal((await nobody.auth.login({ username: 'mia', password: 'secret-mia' })).token_type, 'bearer');
  });
});

t.test('thirty concurrent failures reveal no more than ten', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const nobody = await world.as();
    await world.person('mia');
    const tries = Array.from({ length: 30 }, () => failureOf(nobody.auth.login({ username: 'mia', password: 'x' })));
    const codes = (await Promise.all(tries)).map(({ code }) => code);
    t.equal(codes.filter((code) => code === 'invalid_credentials').length, 10);
    t.equal(codes.filter((code) => code === 'rate_limited').length, 20);
  });
});

t.test('the 101st failure in an hour is rejected from any address except known devices and addresses', async (t) => {
  await eachStore(t, async (t, data) => {
    await data.migrate('members', migrations);
    const clock = movableClock();
    const store = openStore(data.facade('members'));
    const limit = new LoginLimit(store, { ...clock, iso: () => new Date(clock.now()).toISOString() });
    const at = (username: string, address: string, device?: string) => ({ username, member_id: 0, address, device });
    const fails = async (attempt: ReturnType<typeof at>) => limit.recordFailure(await limit.admit(attempt));
    for (let n = 0; n < 100; n += 1) await fails(at('admin', `192.0.2.${n % 20}`));
    t.match(await failureOf(limit.admit(at('ADMIN', '192.0.2.99'))), { code: 'rate_limited', status: 429 });
    t.match(
      (await limit.admit(at('admin', '192.0.2.99', 'laptop'))).requester,
      { trusted: true },
      'the device of an earlier login may log in',
    );
    await limit.admit(at('mia', '192.0.2.0'));

    const { id } = await store.members.insert({ ...admin, created_at: new Date(clock.now()).toISOString() });
    await store.places.recordUse(id, '192.0.2.99', new Date(clock.now()).toISOString());
    t.match(
      (await limit.admit({ ...at('admin', '192.0.2.99'), member_id: id })).requester,
      { trusted: true },
      'the address of an earlier login may log in',
    );
    clock.forward(90 * 24 * 60 * minute);
    t.match(
      (await limit.admit({ ...at('admin', '192.0.2.99'), member_id: id })).requester,
      { trusted: false },
      'an address is known for at most ninety days',
    );

    for (let n = 0; n < 10; n += 1) await fails(at('eva', `2001:db8::${n}`));
    t.match(await failureOf(limit.admit(at('eva', '2001:db8::99'))), { code: 'rate_limited' }, 'an IPv6 address counts by its network');
    await limit.admit(at('eva', '2001:db8:0:1::99'));
    for (let n = 0; n < 10; n += 1) await fails(at('uwe', '192.0.2.1', 'laptop'));
    t.match(
      await failureOf(limit.admit(at('uwe', '192.0.2.7', 'laptop'))),
      { code: 'rate_limited' },
      'a device has its own count of failures',
    );
  });
});

t.test('the 31st failure in a minute from one address is rejected whatever the names', async (t) => {
  await eachStore(t, async (t, data) => {
    await data.migrate('members', migrations);
    const clock = movableClock();
    const limit = new LoginLimit(openStore(data.facade('members')), { ...clock, iso: () => new Date(clock.now()).toISOString() });
    const at = (n: number, address: string) => ({ username: `name-${n}`, member_id: 0, address, device: undefined });
    for (let n = 0; n < 30; n += 1) await limit.recordFailure(await limit.admit(at(n, '192.0.2.1')));
    t.match(await failureOf(limit.admit(at(30, '192.0.2.1'))), { code: 'rate_limited', status: 429 });
    t.match((await limit.admit(at(30, '192.0.2.2'))).requester, { flow: 'network:192.0.2.0/24', cost: 31 }, 'its network waits longer');
    t.match((await limit.admit(at(30, '198.51.100.1'))).requester, { cost: 1 }, 'another network does not wait');
    t.same(await limit.sharedAddresses(30), [{ address: '192.0.2.1', names: 30 }]);
    clock.forward(minute);
    await limit.admit(at(30, '192.0.2.1'));
  });
});

t.test('an unknown user and an AI employee take as long as a wrong password', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const nobody = await world.as();
    await (await world.admin()).members.create_virtual({ name: 'Otto' });
    const times: Record<string, number[]> = { admin: [], unknown: [], otto: [] };
    for (let n = 0; n < 10; n += 1) {
      for (const [username, took] of Object.entries(times)) {
        const start = process.cpuUsage();
        await failureOf(nobody.auth.login({ username, password: 'x' }));
        const { user, system } = process.cpuUsage(start);
        took.push(user + system);
        clock.forward(minute);
      }
    }
    // The processor's time, and the shortest: what else runs on the machine disturbs them least.
    const shortest = (name: string) => Math.min(...(times[name] ?? []));
    for (const name of ['unknown', 'otto']) {
      const ratio = shortest(name) / shortest('admin');
      t.ok(ratio > 0.5 && ratio < 2, `${name}: ${ratio.toFixed(2)} of the time of a wrong password`);
    }
  });
});
