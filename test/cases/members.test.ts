import { hash } from '@node-rs/argon2';
import t from 'tap';
import { clientNetworkOf } from '../../extensions/members/network.js';
import { Passwords } from '../../extensions/members/passwords.js';
import { failureOf, openWorld } from '../extensions/members/world.js';
import { nameCases } from './members/names.js';
import { passwordCases, userNameCases } from './members/passwords.js';
import { placeCases } from './members/places.js';

for (const { name, source, address, expected } of placeCases) {
  t.test(`${name} (${source})`, async (t) => {
    t.strictSame(clientNetworkOf(address), expected);
  });
}

t.test('a hash of an unnormalised password is accepted and reported as outdated', async (t) => {
  const passwords = new Passwords();
  const typed = 'Gru\u0308\u00DFe-42';
  const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
  const asker = { flow: 'test', cost: 1, trusted: false };
  t.equal(await passwords.verify(await hash(typed, cost), typed, asker), 'outdated');
  t.equal(await passwords.verify(await hash(typed.normalize('NFC'), cost), typed, asker), 'right');
  t.equal(await passwords.verify(await hash('another password', cost), typed, asker), 'wrong');
});

t.test('normalises names, passwords and usernames', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http' });
  const admin = await world.admin();
  const nobody = await world.as();

  for (const { name, source, given, allowed } of nameCases) {
    await t.test(`${name} (${source})`, async (t) => {
      if (allowed) t.equal((await admin.tokens.create({ name: given })).name, given.trim());
      else t.same(await failureOf(admin.tokens.create({ name: given })), { code: 'invalid_input', status: 400, paths: ['name'] });
    });
  }

  await t.test('nicknames, and names and posts of AI employees, are normalised too', async (t) => {
    const hidden = '\u200B';
    t.match(await failureOf(admin.members.update({ id: 1, nickname: hidden })), { paths: ['nickname'] });
    t.match(await failureOf(admin.members.create({ username: 'uma', password: 'password', nickname: hidden })), { paths: ['nickname'] });
    t.match(await failureOf(admin.members.create_virtual({ name: hidden, post: hidden })), { paths: ['name', 'post'] });
  });

  for (const [index, { name, source, set, typed, expected }] of passwordCases.entries()) {
    await t.test(`a password: ${name} (${source})`, async (t) => {
      const username = `person-${index}`;
      const created = admin.members.create({ username, password: set });
      if (expected === 'refused') return t.same(await failureOf(created), { code: 'invalid_input', status: 400, paths: ['password'] });
      await created;
      const login = nobody.auth.login({ username, password: typed });
      return expected === 'in'
        ? t.match(await login, { token_type: 'bearer' })
        : t.match(await failureOf(login), { code: 'invalid_credentials' });
    });
  }

  await admin.members.create({ username: 'ada', password: 'password' });
  for (const { name, source, typed } of userNameCases) {
    await t.test(`the user name ${name} logs in (${source})`, async (t) => {
      t.match(await nobody.auth.login({ username: typed, password: 'password' }), { token_type: 'bearer' });
    });
  }

  await t.test("rejects the username 'me'", async (t) => {
    for (const username of ['me', 'Me'])
      await t.rejects(admin.members.create({ username, password: 'password' }), { code: 'invalid_input', message: /is reserved/ });
  });
});
