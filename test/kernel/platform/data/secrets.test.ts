import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { openSecrets, proveKey } from '../../../../kernel/platform/data/secrets.js';
import { eachDatabase, temporaryFolder } from '../../../helpers/databases.js';

const given = 'a key that somebody chose';

t.test('sealed secrets open again and differ each time', async (t) => {
  const secrets = await openSecrets({ key: given, data_dir: '/nowhere' });
  const sealed = secrets.seal(Buffer.from('hello'));
  t.match(sealed, /^v1\.[\w-]+$/);
  t.not(sealed, secrets.seal(Buffer.from('hello')));
  t.equal(secrets.open(sealed).toString(), 'hello');
  t.equal(secrets.open(secrets.seal(Buffer.alloc(0))).length, 0);
});

t.test('altered, truncated or foreign secrets do not open', async (t) => {
  const secrets = await openSecrets({ key: given, data_dir: '/nowhere' });
  const other = await openSecrets({ key: `${given}!`, data_dir: '/nowhere' });
  const sealed = secrets.seal(Buffer.from('hello'));
  t.throws(() => other.open(sealed));
  for (const at of [3, 20, sealed.length - 1]) {
    const altered = `${sealed.slice(0, at)}${sealed[at] === 'A' ? 'B' : 'A'}${sealed.slice(at + 1)}`;
    t.throws(() => secrets.open(altered), `altered at ${at}`);
  }
  t.throws(() => secrets.open(sealed.slice(0, 20)), /not a sealed secret/);
  t.throws(() => secrets.open(`v2${sealed.slice(2)}`), /not a sealed secret/);
});

t.test('the same given key yields the same master key on every machine', async (t) => {
  const [one, two] = [await openSecrets({ key: given, data_dir: '/a' }), await openSecrets({ key: given, data_dir: '/b' })];
  t.equal(two.open(one.seal(Buffer.from('hello'))).toString(), 'hello');
  t.equal(one.source, 'given');
});

t.test('a short key is rejected by its length, without its text', async (t) => {
  await t.rejects(openSecrets({ key: 'short', data_dir: '/nowhere' }), {
    code: 'secret_key_wrong',
    message: 'PLATFORM_SECRET_KEY must have at least 16 characters, but has 5',
  });
});

t.test('a private key file is created without a given key and reused', async (t) => {
  const data_dir = await temporaryFolder(t);
  const first = await openSecrets({ data_dir });
  const file = join(data_dir, 'secret.key');
  t.equal((await stat(file)).mode & 0o777, 0o600);
  t.strictSame(await readdir(data_dir), ['secret.key']);
  const text = await readFile(file, 'utf8');
  const second = await openSecrets({ data_dir });
  t.equal(await readFile(file, 'utf8'), text);
  t.strictSame([first.source, second.source], ['made', 'file']);
  t.equal(second.open(first.seal(Buffer.from('hello'))).toString(), 'hello');
});

t.test('two processes that create the file at once use the same key', async (t) => {
  const data_dir = await temporaryFolder(t);
  const all = await Promise.all(Array.from({ length: 8 }, () => openSecrets({ data_dir })));
  const sealed = all[0]?.seal(Buffer.from('hello')) ?? '';
  t.strictSame(
    all.map((secrets) => secrets.open(sealed).toString()),
    all.map(() => 'hello'),
  );
});

t.test('a damaged key file is rejected and left unchanged', async (t) => {
  const data_dir = await temporaryFolder(t);
  await writeFile(join(data_dir, 'secret.key'), 'AAAA\n');
  await t.rejects(openSecrets({ data_dir }), { code: 'secret_key_wrong', message: /must hold 32 bytes in base64, but holds 3/ });
  t.equal(await readFile(join(data_dir, 'secret.key'), 'utf8'), 'AAAA\n');
});

t.test('a database is bound to its first key', (t) =>
  eachDatabase(t, async (t, data) => {
    const [here, elsewhere] = [await temporaryFolder(t), await temporaryFolder(t)];
    await proveKey(data, await openSecrets({ data_dir: here }));
    await proveKey(data, await openSecrets({ data_dir: here }));
    await t.rejects(proveKey(data, await openSecrets({ data_dir: elsewhere })), { code: 'secret_key_missing', status: 503 });
    t.strictSame(await readdir(elsewhere), [], 'the unused new key was removed again');
    await openSecrets({ data_dir: elsewhere });
    await t.rejects(proveKey(data, await openSecrets({ data_dir: elsewhere })), {
      code: 'secret_key_wrong',
      message: /data folder's secret.key is not/,
    });
    await t.rejects(proveKey(data, await openSecrets({ key: given, data_dir: here })), {
      code: 'secret_key_wrong',
      message: /^The given PLATFORM_SECRET_KEY is not the key that this database was sealed with; give every instance/,
    });
  }),
);

t.test('the content of the first instance’s key file is the key for the others', (t) =>
  eachDatabase(t, async (t, data) => {
    const [here, elsewhere] = [await temporaryFolder(t), await temporaryFolder(t)];
    await proveKey(data, await openSecrets({ data_dir: here }));
    const key = await readFile(join(here, 'secret.key'), 'utf8');
    await proveKey(data, await openSecrets({ key, data_dir: elsewhere }));
    t.strictSame(await readdir(elsewhere), []);
  }),
);

t.test('of concurrent instances with different keys only one starts', (t) =>
  eachDatabase(t, async (t, data) => {
    const keys = [given, `${given}!`, `${given}?`];
    const ends = await Promise.allSettled(keys.map(async (key) => proveKey(data, await openSecrets({ key, data_dir: '/nowhere' }))));
    t.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1);
  }),
);
