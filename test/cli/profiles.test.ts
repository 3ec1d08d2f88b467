import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import t from 'tap';
import { Profiles, profilesFile } from '../../cli/profiles.js';
import { temporaryFolder } from '../helpers/platform.js';

const one = { url: 'http://one', username: 'ada', token: 'plat_1' };
const two = { url: 'http://two', username: 'bob', token: 'plat_2' };

t.test('stores logins by the XDG rules', async (t) => {
  t.equal(profilesFile({ XDG_CONFIG_HOME: '/x', HOME: '/h' }), '/x/platform/profiles.json');
  t.equal(profilesFile({ HOME: '/h' }), '/h/.config/platform/profiles.json');
});

t.test('the last login is the current one, and removed ones are gone', async (t) => {
  const file = profilesFile({ XDG_CONFIG_HOME: await temporaryFolder(t) });
  const profiles = new Profiles(file);
  t.equal(await profiles.find(undefined), undefined);
  await profiles.save('a', one);
  await profiles.save('b', two);
  t.strictSame(await profiles.find(undefined), { name: 'b', profile: two });
  t.strictSame(await profiles.require('a'), one);
  await profiles.remove('b');
  t.equal(await profiles.find(undefined), undefined);
  t.strictSame(await profiles.find('a'), { name: 'a', profile: one });
  t.equal(await profiles.find('toString'), undefined);
});

t.test('the device token of a server outlives its logins, for up to fifty servers', async (t) => {
  const profiles = new Profiles(profilesFile({ XDG_CONFIG_HOME: await temporaryFolder(t) }));
  t.equal(await profiles.device('http://one'), null);
  await profiles.saveDevice('http://one', 'v1.first');
  await profiles.save('a', one);
  await profiles.remove('a');
  t.equal(await profiles.device('http://one'), 'v1.first');
  for (let n = 0; n < 50; n += 1) await profiles.saveDevice(`http://other-${n}`, 'v1.x');
  t.equal(await profiles.device('http://one'), null);
});

t.test('no other user can read the logins', async (t) => {
  const file = profilesFile({ XDG_CONFIG_HOME: await temporaryFolder(t) });
  await new Profiles(file).save('a', one);
  t.equal(statSync(file).mode & 0o777, 0o600);
  t.equal(statSync(dirname(file)).mode & 0o777, 0o700);
});

t.test('reports a damaged file and a missing login in one sentence', async (t) => {
  const file = profilesFile({ XDG_CONFIG_HOME: await temporaryFolder(t) });
  await t.rejects(new Profiles(file).require('a'), { message: "There is no profile 'a'" });
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, '{');
  await t.rejects(new Profiles(file).find('a'), { message: `The file of stored logins, ${file}, can't be read` });
});
