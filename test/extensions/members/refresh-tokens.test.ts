import t from 'tap';
import type { Login } from '../../../extensions/members/contract.js';
import { exchange, grace_ms } from '../../../extensions/members/refresh-tokens.js';
import { eachDatabase, eachPair, failureOf, movableClock, type World } from './world.js';

const invalid_token = { code: 'invalid_token', status: 401 };
const reused = { code: 'refresh_token_reused', status: 401 };

/** Refreshes as anybody who has the token. */
async function refresher(world: World): Promise<(login: Pick<Login, 'refresh_token'>) => Promise<Login>> {
  const nobody = await world.as();
  return ({ refresh_token = '' }) => nobody.auth.refresh({ refresh_token });
}

t.test('a token whose answer was lost can be used again until the new one was used', async (t) => {
  await eachPair(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const refresh = await refresher(world);
    const first = await world.person('rea');
    const lost = await refresh(first);
    clock.forward(3_600_000);
    const second = await refresh(first);
    t.not(second.refresh_token, lost.refresh_token, 'each use gives another token');
    t.not(second.access_token, lost.access_token);
    for (const { access_token } of [lost, second]) t.equal((await (await world.as(access_token)).auth.me()).username, 'rea');
    const third = await refresh(second);
    t.equal((await (await world.as(third.access_token)).auth.me()).username, 'rea', 'the login continues');
  });
});

t.test('a token can be used for thirty seconds after its successor was used, and then ends the login', async (t) => {
  await eachPair(t, async (t, open) => {
    const clock = movableClock();
    const world = await open({ clock });
    const refresh = await refresher(world);
    const first = await world.person('rea');
    const second = await refresh(first);
    const third = await refresh(second);
    const late = await refresh(first);
    const next = await refresh(late);
    t.equal((await (await world.as(next.access_token)).auth.me()).username, 'rea', 'a late answer is as good as any');

    const other = await world.person('lea');
    const current = await refresh(await refresh(other));
    clock.forward(grace_ms + 5_000);
    t.same(await failureOf(refresh(other)), reused);
    t.same(await failureOf(refresh(current)), invalid_token, 'the login has ended for its owner too');
    t.same(await failureOf((await world.as(current.access_token)).auth.me()), invalid_token);
    t.equal((await refresh(third)).token_type, 'bearer', "another member's login goes on");
  });
});

t.test('a token that is two generations older ends the login at once', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const refresh = await refresher(world);
    const first = await world.person('ria');
    const third = await refresh(await refresh(first));
    const fourth = await refresh(third);
    t.same(await failureOf(refresh(first)), reused);
    t.same(await failureOf(refresh(fourth)), invalid_token);
  });
});

t.test('tabs that refresh at once all stay logged in, whichever answer arrives last', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const refresh = await refresher(world);
    let kept: Login | Awaited<ReturnType<World['person']>> = await world.person('tab');
    for (let round = 0; round < 3; round += 1) {
      const from = kept;
      const answers: Login[] = await Promise.all([1, 2, 3, 4, 5].map(() => refresh(from)));
      t.equal(new Set(answers.map(({ refresh_token }) => refresh_token)).size, 5);
      for (const { access_token } of answers) t.equal((await (await world.as(access_token)).auth.me()).username, 'tab');
      // The first uses its own before the cookie of another replaces it.
      await refresh(answers[0] as Login);
      kept = answers[round + 1] as Login;
    }
    t.equal((await refresh(kept)).token_type, 'bearer');
  });
});

t.test('a client that never stores the new token stays logged in', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const refresh = await refresher(world);
    const person = await world.person('una');
    for (let n = 0; n < 30; n += 1) await refresh(person);
    t.equal((await refresh(await refresh(person))).token_type, 'bearer');
  });
});

t.test('a login stores at most 20 unused tokens of a generation beside the latest', async (t) => {
  let login = { refresh_hash: 'first', generation: 0, generation_at: null, other_hashes: [] } as Parameters<typeof exchange>[0];
  for (let n = 0; n < 50; n += 1) login = exchange(login, { used: 'first', next: `next-${n}`, now: 0 }) as typeof login;
  t.equal(login.other_hashes.length, 21);
  t.equal(exchange(login, { used: 'next-5', next: 'x', now: 0 }), undefined, 'a dropped one is too old');
  t.match(exchange(login, { used: 'next-45', next: 'x', now: 0 }), { generation: 2 });
});

t.test('a refresh and the end of its login have one outcome', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const world = await shared();
    const refresh = await refresher(world);
    for (let n = 0; n < 5; n += 1) {
      const { client, ...person } = await world.person(`eve-${n}`);
      const [renewed] = await Promise.allSettled([refresh(person), client.auth.logout()]);
      if (renewed.status === 'fulfilled') t.same(await failureOf(refresh(renewed.value)), invalid_token);
      t.same(await failureOf(refresh(person)), invalid_token);
    }
  });
});
