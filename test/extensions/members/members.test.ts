import t from 'tap';
import { eachDatabase, eachPair, failureOf } from './world.js';

const invalid_token = { code: 'invalid_token', status: 401 };

t.test('a changed role or password, or a deleted member, revokes all its tokens', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const admin = await world.admin();
    for (const change of ['role', 'password', 'delete'] as const) {
      const { id, client, refresh_token } = await world.person(`rolf-${change}`);
      const personal = await world.as((await client.tokens.create({ name: 'ci' })).token);
      t.same([(await client.auth.me()).id, (await personal.auth.me()).id], [id, id]);
      if (change === 'role') await admin.members.update({ id, role: 'admin' });
      if (change === 'password') await admin.members.reset_password({ id, new_password: 'another-one' });
      if (change === 'delete') await admin.members.delete({ id });
      for (const old of [client, personal]) t.same(await failureOf(old.auth.me()), invalid_token, change);
      t.same(await failureOf((await world.as()).auth.refresh({ refresh_token })), invalid_token, change);
    }
  });
});

t.test('other changes revoke no tokens', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const { id, client } = await world.person('nora');
    await (await world.admin()).members.update({ id, nickname: 'Mia', role: 'member' });
    t.match(await client.auth.me(), { nickname: 'Mia', role: 'member' });
  });
});

t.test('of twenty concurrently added people only as many as free seats are added', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { 'members.seats': 5 } });
    const admin = await world.admin();
    const added = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) => admin.members.create({ username: `person-${n}`, password: '12345678' })),
    );
    const codes = added.flatMap((one) => (one.status === 'rejected' ? [(one.reason as { code: string }).code] : []));
    t.same(
      codes,
      Array.from({ length: 16 }, () => 'seat_limit_reached'),
    );
    t.same(await admin.members.seats(), { used: 5, limit: 5, ai_employees: 0 });

    await admin.members.create_virtual({ name: 'Otto' });
    t.same(await admin.members.seats(), { used: 5, limit: 5, ai_employees: 1 }, 'an AI employee takes no seat');
    const { items } = await admin.members.list({ is_virtual: false });
    await admin.members.delete({ id: items.at(-1)?.id ?? 0 });
    t.match(
      await admin.members.create({ username: 'next', password: '12345678' }),
      { username: 'next' },
      'a deleted member frees its seat',
    );
  });
});

t.test('of two administrators who leave concurrently one stays', async (t) => {
  await eachDatabase(t, async (t, open) => {
    for (const [operation, change] of [
      ['members.delete', {}],
      ['members.update', { role: 'member' }],
    ] as const) {
      const { kernel } = await open();
      const caller = await kernel.localCaller('direct');
      const { body } = await kernel.invoke('members.create', { username: 'second', password: '12345678', role: 'admin' }, caller);
      const ids = [1, (body as { id: number }).id];
      const gone = await Promise.allSettled(ids.map((id) => kernel.invoke(operation, { id, ...change }, caller)));
      const codes = gone.map((one) => (one.status === 'rejected' ? (one.reason as { code: string }).code : 'gone'));
      t.same(codes.sort(), ['gone', 'last_admin'], operation);
      t.equal((await kernel.localCaller('direct')).role, 'admin', 'the caller with the data folder acts as the remaining administrator');
    }
  });
});

t.test('a username given to two members concurrently belongs to one', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const admin = await (await shared()).admin();
    const both = await Promise.allSettled(['uma', 'UMA'].map((username) => admin.members.create({ username, password: '12345678' })));
    t.same(both.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  });
});

t.test('AI employees with the same name, added at once, get different user names', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const admin = await (await shared()).admin();
    const made = await Promise.all(Array.from({ length: 5 }, () => admin.members.create_virtual({ name: 'Ada' })));
    t.same(made.map(({ username }) => username).sort(), ['ada', 'ada-2', 'ada-3', 'ada-4', 'ada-5']);
  });
});

t.test('requests with the same key add one member', async (t) => {
  await eachPair(t, async (t, open) => {
    const admin = await (await open()).admin();
    const add = () => admin.members.create({ username: 'mia', password: '12345678' }, { idempotency_key: 'k1' });
    const first = await add();
    t.same(await add(), first);
    t.equal((await admin.members.list()).total, 2);
  });
});

t.test('a deleted member’s id is not reused', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const admin = await (await shared()).admin();
    const { id } = await admin.members.create_virtual({ name: 'Ada' });
    await admin.members.delete({ id });
    t.not((await admin.members.create_virtual({ name: 'Ada' })).id, id);
  });
});

t.test('letters of any script are found in any case', async (t) => {
  await eachDatabase(t, async (t, _open, shared) => {
    const admin = await (await shared()).admin();
    for (const name of ['ÅSA Öberg', '小明', '100%_sure']) await admin.members.create_virtual({ name });
    const found = async (keyword: string) => (await admin.members.list({ keyword })).items.map(({ nickname }) => nickname);
    t.same(await found('åsa ö'), ['ÅSA Öberg']);
    t.same(await found('明'), ['小明']);
    t.same(await found('0%_S'), ['100%_sure']);
    t.same(await found('!'), []);
  });
});

t.test('no password is logged', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { log_level: 'debug' } });
    const admin = await world.admin();
    const { id } = await admin.members.create({ username: 'mia', password: 'very-secret-1' });
    await admin.members.reset_password({ id, new_password: 'very-secret-2' });
    await failureOf(admin.members.create({ username: 'mia', password: 'very-secret-3' }));
    await admin.members.delete({ id });
    t.ok(world.lines.length > 0);
    t.notMatch(JSON.stringify(world.lines), /very-secret/);
  });
});
