import t from 'tap';
import { callerOf } from '../../helpers/platform.js';
import { eachDatabase, eachPair, failureOf } from './world.js';

const wrong = { code: 'wrong_password', status: 403 };

t.test('a member changes its own address with its password, and no other way', async (t) => {
  await eachPair(t, async (t, _open, shared) => {
    const world = await shared();
    const { client, id } = await world.person('mia');
    const script = await world.as((await client.tokens.create({ name: 'script' })).token);
    t.equal((await client.auth.me()).email, null);
    t.match(await client.auth.set_email({ email: 'mia@example.com', password: 'secret-mia' }), { id, email: 'mia@example.com' });
    t.same(await failureOf(script.auth.set_email({ email: 'thief@example.com', password: 'not hers' })), wrong);
    t.same(await failureOf(client.members.update({ id, email: 'thief@example.com' })), { code: 'forbidden', status: 403 });
    t.equal((await client.auth.me()).email, 'mia@example.com');
    t.match(await client.auth.set_email({ email: null, password: 'secret-mia' }), { email: null });
  });
});

t.test('guesses of the password are limited', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const { client } = await world.person('mia');
    for (let n = 0; n < 10; n += 1) t.same(await failureOf(client.auth.set_email({ email: null, password: `guess ${n}` })), wrong);
    t.match(await failureOf(client.auth.set_email({ email: null, password: 'secret-mia' })), { code: 'rate_limited' });
  });
});

t.test('of several who take an address at once, one gets it', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const admin = await world.admin();
    const made = [];
    for (let n = 0; n < 6; n += 1) made.push(await admin.members.create({ username: `member-${n}`, password: 'long enough' }));
    const outcomes = await Promise.all(
      made.map(({ id }, n) =>
        admin.members.update({ id, email: n % 2 ? 'ONE@example.com' : 'one@example.com' }).then(
          () => 'got',
          (fault: { code: string }) => fault.code,
        ),
      ),
    );
    t.same(outcomes.sort(), ['email_taken', 'email_taken', 'email_taken', 'email_taken', 'email_taken', 'got']);
    const { items } = await admin.members.list({ keyword: 'member-' });
    t.equal(items.filter(({ email }) => email !== null).length, 1);
    const owner = items.find(({ email }) => email !== null);
    t.match(await admin.members.update({ id: owner?.id as number, email: 'One@Example.com' }), { email: 'One@Example.com' });
    await admin.members.delete({ id: owner?.id as number });
    t.match(await admin.members.create({ username: 'heir', password: 'long enough', email: 'one@example.com' }), {
      email: 'one@example.com',
    });
  });
});

t.test('addresses are for people: AI employees and plugins neither have nor see them', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open();
    const admin = await world.admin();
    const { id } = await admin.members.create({ username: 'mia', password: 'long enough', email: 'mia@example.com' });
    const robot = await admin.members.create_virtual({ name: 'Robo' });
    t.match(await failureOf(admin.members.update({ id: robot.id, email: 'robo@example.com' })), { code: 'invalid_input' });
    const virtual = admin.members.create({ username: 'robo-2', is_virtual: true, email: 'robo@example.com' });
    t.match(await failureOf(virtual), { code: 'invalid_input' });
    for (const door of ['tool', 'mcp', 'plugin', 'schedule'] as const) {
      const caller = callerOf({ door });
      for (const [operation, input] of [
        ['members.get', { id }],
        ['members.list', {}],
        ['members.update', { id, nickname: 'Mia' }],
      ] as const) {
        const { body } = await world.kernel.invoke(operation, input, caller);
        t.notMatch(JSON.stringify(body), /email|example\.com/, `${operation} by ${door}`);
      }
    }
    for (const door of ['http', 'local', 'direct'] as const)
      t.match((await world.kernel.invoke('members.get', { id }, callerOf({ door }))).body, { email: 'mia@example.com' });
  });
});
