import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { Members } from '../../../extensions/members/contract.js';
import { temporaryFolder } from '../../helpers/platform.js';
import { eachDatabase, failureOf, openWorld, until, type World } from './world.js';

const generated = { settings: { 'members.admin_password': '', 'members.admin_username': 'root' } };

async function fileOf({ data_dir }: World): Promise<string | undefined> {
  return readFile(join(data_dir, 'first-password'), 'utf8').catch(() => undefined);
}

t.test('the first start creates the configured administrator and no file', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open({ settings: { 'members.admin_username': 'root', 'members.admin_password': 'given-password' } });
    t.match(await (await world.as()).auth.login({ username: 'root', password: 'given-password' }), { token_type: 'bearer' });
    t.equal(await fileOf(world), undefined);
  });
});

t.test('a generated password is in an owner-only file until it is changed', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open(generated);
    const file = await fileOf(world);
    t.match(file, /^([a-z2-9]{4}-){4}[a-z2-9]{4}\n$/);
    t.equal((await stat(join(world.data_dir, 'first-password'))).mode & 0o777, 0o600);
    const password = file?.trim() ?? '';
    t.notMatch(JSON.stringify(world.lines), password);
    const login = await (await world.as()).auth.login({ username: 'root', password });
    const root = await world.as(login.access_token);
    t.equal((await root.auth.me({})).first_password, true);
    await root.members.create({ username: 'mia', password: '12345678' });
    await root.members.reset_password({ id: 2, new_password: 'another-one' });
    t.equal(await fileOf(world), file, "another member's password change keeps the file");
    const changed = await root.auth.password({ current_password: password, new_password: 'my-own-one' });
    t.equal((await (await world.as(changed.access_token)).auth.me({})).first_password, undefined);
    await until(async () => (await fileOf(world)) === undefined);
  });
});

t.test('resetting the generated password removes the file too', async (t) => {
  await eachDatabase(t, async (t, open) => {
    const world = await open(generated);
    await world.kernel.invoke('members.reset_password', { id: 1, new_password: 'another-one' }, await world.kernel.localCaller('local'));
    await until(async () => (await fileOf(world)) === undefined);
    t.match(await (await world.as()).auth.login({ username: 'root', password: 'another-one' }), { token_type: 'bearer' });
  });
});

t.test('a later start keeps the administrator and the file', async (t) => {
  const data_dir = await temporaryFolder(t);
  const settings = { ...generated.settings, data_dir };
  const first = await openWorld(t, 'sqlite', { way: 'http', settings });
  const file = await fileOf(first);
  await first.kernel.close();
  const second = await openWorld(t, 'sqlite', { way: 'http', settings: { ...settings, 'members.admin_username': 'other' } });
  t.equal(await fileOf(second), file);
  t.match(await (await second.as()).auth.login({ username: 'root', password: file?.trim() ?? '' }), { token_type: 'bearer' });
  t.same(await failureOf((await second.as()).auth.login({ username: 'other', password: file?.trim() ?? '' })), {
    code: 'invalid_credentials',
    status: 401,
  });
});

t.test('an outdated file is removed at the next start', async (t) => {
  const data_dir = await temporaryFolder(t);
  const first = await openWorld(t, 'sqlite', { way: 'http', settings: { data_dir } });
  await first.kernel.close();
  await writeFile(join(data_dir, 'first-password'), 'left over\n');
  const second = await openWorld(t, 'sqlite', { way: 'http', settings: { data_dir } });
  t.equal(await fileOf(second), undefined);
});

t.test('the process that starts the platform can show the password', async (t) => {
  const world = await openWorld(t, 'sqlite', { way: 'http', ...generated });
  const service = world.kernel.host.running.get('members')?.draft.service as Members['service'];
  t.same(await service.firstPassword(), { username: 'root', password: (await fileOf(world))?.trim() });
});
