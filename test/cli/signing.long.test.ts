import { createHash, generateKeyPairSync } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { publicText, signBundle } from '../../kernel/platform/bundles/signature.js';
import { adminPassword } from '../helpers/platform.js';
import { goodPlugin, pluginManifest } from '../kernel/platform/bundles/world.js';
import { zipOf } from '../kernel/platform/bundles/zip.js';
import { type Ended, type Shell, shellFor } from './shell.js';

const home = (shell: Shell) => shell.env.HOME as string;
const bundle = (change: object = {}) => zipOf(goodPlugin({ ...pluginManifest, ...change }));
const put = (shell: Shell, name: string, content: Buffer | string) => writeFile(join(home(shell), name), content);
const extension = (shell: Shell, ...args: string[]): Promise<Ended> => shell.run(['extension', ...args]);
const pem = (key: { export(options: object): unknown }, type: string) => String(key.export({ format: 'pem', type }));

/** Runs a command that must succeed, and gives what it wrote as JSON. */
async function json<T>(t: Test, shell: Shell, ...args: string[]): Promise<T> {
  const { code, stdout, stderr } = await extension(shell, ...args, '--json');
  t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return JSON.parse(stdout) as T;
}

/** A command must have failed with that sentence. */
function bad(t: Test, { code, stderr }: Ended, exit: number, sentence: RegExp): void {
  t.match({ code, stderr }, { code: exit, stderr: sentence });
}

const keyFile = (shell: Shell) => join(home(shell), 'config/platform/publisher-key.pem');

t.test('the first signature creates an owner-only key, and its signature is verified', async (t) => {
  const shell = await shellFor(t);
  await put(shell, 'a.zip', bundle());
  const first = await extension(shell, 'sign', 'a.zip', '--json');
  t.match(first.stderr, `created a signing key: ${keyFile(shell)}\n`);
  t.equal((await stat(keyFile(shell))).mode & 0o777, 0o600);
  t.equal((await stat(join(home(shell), 'config/platform'))).mode & 0o777, 0o700);
  const { public_key, content_hash, file } = JSON.parse(first.stdout) as Record<string, string>;
  t.equal(content_hash, `sha256:${createHash('sha256').update(bundle()).digest('hex')}`);
  t.equal(file, 'a.zip.sig');
  const again = await extension(shell, 'sign', 'a.zip');
  t.equal(again.stderr, '', 'the key exists now');
  t.match(again.stdout, public_key as string);

  const agreed = { id: 'acme.hello', version: '1.2.3', content_hash, public_key, approved: false };
  t.match(await json(t, shell, 'verify', 'a.zip', '--key', public_key as string), { ...agreed, signer: public_key });
  t.match(await json(t, shell, 'verify', 'a.zip', '--key', keyFile(shell)), agreed, 'a key can be read from a file');
  await put(shell, 'keys.json', JSON.stringify({ items: [{ id: 1, name: 'Acme', public_key }], total: 1 }));
  t.match(await json(t, shell, 'verify', 'a.zip', '--trust', 'keys.json'), { ...agreed, signer: 'Acme' });
});

t.test('a signature that does not match is rejected with a sentence that names the difference', async (t) => {
  const shell = await (await shellFor(t)).install();
  await put(shell, 'a.zip', bundle());
  const { public_key } = await json<{ public_key: string }>(t, shell, 'sign', 'a.zip');
  const signature = await readFile(join(home(shell), 'a.zip.sig'), 'utf8');
  const stranger = publicText(generateKeyPairSync('ed25519').publicKey);
  const verify = (...args: string[]) => extension(shell, 'verify', 'a.zip', ...args);
  bad(t, await verify(), 5, /is signed by the key \S+=: name the key that you expect with --key, or a list with --trust/);
  bad(t, await verify('--key', stranger), 5, /is signed by the key \S+=: not by an accepted one/);
  await put(shell, 'keys.json', '[]');
  bad(t, await verify('--trust', 'keys.json'), 5, /not by an accepted one/);
  for (const [name, content] of Object.entries({ 'no JSON': 'x', 'no list': '{}', 'no keys': '[{"name":"x","public_key":"y"}]' })) {
    await put(shell, 'keys.json', content);
    bad(t, await verify('--trust', 'keys.json'), 2, /keys\.json is not a list of keys/);
    t.pass(name);
  }
  bad(t, await verify('--trust', 'none.json'), 2, /none\.json can't be read/);
  bad(t, await verify('--key', 'none.pem'), 2, /'none\.pem' is neither a public key nor a file/);
  bad(t, await verify('--key', 'a.zip'), 2, /a\.zip has no Ed25519 key/);
  bad(t, await verify('--key', public_key, '--trust', 'keys.json'), 2, /--key and --trust exclude each other/);

  const wrong: Record<string, readonly [zip: Buffer, sidecar: string, code: number, sentence: RegExp]> = {
    'another version': [bundle({ version: '1.2.4' }), signature, 2, /does not match acme\.hello 1\.2\.4 with sha256:/],
    'another content': [bundle({ description: 'Bites.' }), signature, 2, /does not match acme\.hello 1\.2\.3 with sha256:/],
    'a damaged ZIP': [bundle().subarray(0, -1), signature, 2, /The ZIP has no end: it was cut off/],
    'a damaged signature': [bundle(), signature.replace(/"signature": "..../, '"signature": "AAAA'), 2, /The signature does not match/],
    'a signature of another form': [bundle(), '"x"', 2, /a\.zip\.sig is not a signature/],
    'a signature as large as a book': [bundle(), ' '.repeat(5_000), 2, /a\.zip\.sig is not a signature: it has 5000 bytes/],
  };
  for (const [name, [zip, sidecar, code, sentence]] of Object.entries(wrong)) {
    await put(shell, 'a.zip', zip);
    await put(shell, 'a.zip.sig', sidecar);
    t.comment(name);
    bad(t, await verify('--key', public_key), code, sentence);
  }
  await put(shell, 'a.zip', bundle());
  await rm(join(home(shell), 'a.zip.sig'));
  bad(t, await verify('--key', public_key), 3, /\/data has no acme\.hello 1\.2\.3, so this ZIP can't be verified/);
  bad(t, await verify('--data-dir', 'none'), 3, /There is no a\.zip\.sig, and no platform is reachable: /);
});

t.test('a malformed key, and one that others can read, are reported', async (t) => {
  const shell = await shellFor(t);
  await put(shell, 'a.zip', bundle());
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { privateKey: other } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const keys: Record<string, readonly [content: string, sentence: RegExp]> = {
    'public.pem': [pem(publicKey, 'spki'), /is not a private key in PEM/],
    'other.pem': [pem(other, 'pkcs8'), /is a key of type ec, not Ed25519/],
    'large.pem': [' '.repeat(20_000), /is not a key/],
  };
  for (const [name, [content, sentence]] of Object.entries(keys)) {
    await put(shell, name, content);
    bad(t, await extension(shell, 'sign', 'a.zip', '--key', name), 2, sentence);
  }
  bad(t, await extension(shell, 'sign', 'a.zip', '--key', 'none.pem'), 2, /There is no key none\.pem/);
  t.strictSame(await readdir(join(home(shell), 'config')).catch(() => 'none'), 'none', 'no key is created in its place');
  await put(shell, 'open.pem', pem(privateKey, 'pkcs8'));
  await chmod(join(home(shell), 'open.pem'), 0o644);
  const open = await extension(shell, 'sign', 'a.zip', '--key', 'open.pem');
  t.match(open, {
    code: 0,
    stdout: publicText(publicKey),
    stderr: 'warning: other users may read the key open.pem; fix it with: chmod 600\n',
  });
});

t.test('two concurrent first signings create the same key', async (t) => {
  const shell = await shellFor(t);
  const names = ['a.zip', 'b.zip', 'c.zip'];
  for (const name of names) await put(shell, name, bundle());
  const signed = await Promise.all(names.map((name) => json<{ public_key: string }>(t, shell, 'sign', name)));
  t.equal(new Set(signed.map(({ public_key }) => public_key)).size, 1);
  t.strictSame(await readdir(join(home(shell), 'config/platform')), ['publisher-key.pem']);
});

t.test('the index of a folder is reproducible, and unchanged if a ZIP is invalid', async (t) => {
  const shell = await shellFor(t);
  const folder = join(home(shell), 'bundles');
  await mkdir(folder);
  for (const [name, change] of Object.entries({
    'b.zip': {},
    'a.zip': { version: '1.10.0' },
    'c.ZIP': { version: '1.9.0' },
    'd.zip': { id: 'acme.a' },
  }))
    await writeFile(join(folder, name), bundle(change));
  await writeFile(join(folder, 'notes.txt'), 'x');
  await symlink(join(folder, 'a.zip'), join(folder, 'link.zip'));
  await extension(shell, 'sign', 'bundles/a.zip');
  const index = join(folder, 'index.json');
  const listed = await json<{ items: object[]; total: number }>(t, shell, 'index', 'bundles');
  const order = [
    { id: 'acme.a', version: '1.2.3', file: 'd.zip', signed: false },
    { id: 'acme.hello', version: '1.2.3', file: 'b.zip', signed: false },
    { id: 'acme.hello', version: '1.9.0', file: 'c.ZIP', signed: false },
    { id: 'acme.hello', version: '1.10.0', file: 'a.zip', signed: true },
  ];
  t.match(listed, { items: order, total: 4 });
  const before = await readFile(index, 'utf8');
  t.match((JSON.parse(before) as { items: unknown[] }).items[3], { author: 'Acme', permissions: {}, signature: { public_key: /=$/ } });
  await extension(shell, 'index', 'bundles');
  t.equal(await readFile(index, 'utf8'), before);
  t.strictSame(
    (await readdir(folder)).filter((name) => name.includes('new')),
    [],
  );

  await writeFile(join(folder, 'e.zip'), bundle({ name: 'Hallo' }));
  bad(t, await extension(shell, 'index', 'bundles'), 5, /b\.zip and e\.zip are both acme\.hello 1\.2\.3: keep one of them/);
  await writeFile(join(folder, 'e.zip'), 'no ZIP');
  bad(t, await extension(shell, 'index', 'bundles'), 2, /^platform: e\.zip: /m);
  await rm(join(folder, 'e.zip'));
  await rename(join(folder, 'a.zip.sig'), join(folder, 'b.zip.sig'));
  bad(t, await extension(shell, 'index', 'bundles'), 2, /b\.zip\.sig is not a signature of b\.zip/);
  t.equal(await readFile(index, 'utf8'), before);
  bad(t, await extension(shell, 'index', 'none'), 2, /The folder \S+none can't be read \(ENOENT\)/);
});

t.test('a bundle is published with a signature and verified with the approving platform', async (t) => {
  const shell = await shellFor(t);
  const { url } = await shell.serve(t);
  const login = ['login', '--url', url, '--username', 'admin', '--password-stdin'];
  t.equal((await shell.run(login, adminPassword)).code, 0);
  const there = shell.with({ PLATFORM_DATA_DIR: '' });
  await put(shell, 'a.zip', bundle());
  bad(t, await extension(there.with({ PLATFORM_URL: url, PLATFORM_TOKEN: 'none' }), 'publish', 'a.zip'), 4, /hint: log in/);
  await t.rejects(stat(keyFile(shell)), { code: 'ENOENT' }, 'no key is created without a login');
  const published = await extension(there, 'publish', 'a.zip', '--json');
  t.equal(published.code, 0, published.stderr);
  t.match(JSON.parse(published.stdout), { id: 'acme.hello', version: '1.2.3', type: 'plugin', status: 'under_review' });
  t.match(published.stderr, /^created a signing key: \S+publisher-key\.pem\n.*\nsigned with the key \S{43}=\n$/);
  const public_key = /signed with the key (\S+)\n/.exec(published.stderr)?.[1] as string;

  bad(t, await extension(there, 'verify', 'a.zip'), 3, /acme\.hello 1\.2\.3 is under review at http:\S+, not approved/);
  t.equal((await extension(there, 'approve', 'acme.hello', '1.2.3')).code, 0);
  t.match(await json(t, there, 'verify', 'a.zip'), { id: 'acme.hello', public_key, signer: null, approved: true });
  t.equal((await extension(there, 'trust', 'Acme', public_key, '--yes')).code, 0);
  t.match(await json(t, there, 'verify', 'a.zip'), { signer: 'Acme', approved: true });
  const keys = await extension(there, 'keys', '--json');
  await put(shell, 'keys.json', keys.stdout);
  t.match(await json(t, there, 'verify', 'a.zip', '--trust', 'keys.json'), { signer: 'Acme' });
  const carried = (await extension(there, 'download', 'acme.hello', '1.2.3', '--out', 'carried.zip')).code;
  t.strictSame([carried, (await readFile(join(home(shell), 'carried.zip'))).equals(bundle())], [0, true]);
  await json(t, there, 'verify', 'carried.zip', '--save');
  t.match(
    await json(t, shell, 'verify', 'carried.zip', '--trust', 'keys.json'),
    { signer: 'Acme', approved: false },
    'the signature is verified without the platform',
  );

  await put(shell, 'a2.zip', bundle({ description: 'Bites.' }));
  bad(t, await extension(there, 'verify', 'a2.zip', '--save'), 5, /This is not the acme\.hello 1\.2\.3 that was approved: it has sha256:/);
  t.notOk((await readdir(home(shell))).includes('a2.zip.sig'), 'no signature is created beside it');
  const { privateKey } = generateKeyPairSync('ed25519');
  const { content_hash } = await json<{ content_hash: string }>(t, there, 'check', 'a.zip');
  const forged = signBundle({ id: 'acme.hello', version: '1.2.3', content_hash }, privateKey);
  await put(shell, 'a.zip.sig', JSON.stringify(forged));
  bad(
    t,
    await extension(there, 'verify', 'a.zip', '--url', url),
    5,
    /was approved with a signature of the key \S+; the one beside the file is by/,
  );
  await rm(join(home(shell), 'a.zip.sig'));

  await put(shell, 'plain.zip', bundle({ version: '1.3.0' }));
  const plain = await extension(there, 'publish', 'plain.zip', '--no-sign');
  t.match(plain, { code: 0, stderr: '' });
  bad(t, await extension(there, 'publish', 'plain.zip'), 5, /Version 1\.3\.0 of 'acme\.hello' already exists/);
  t.equal((await extension(there, 'approve', 'acme.hello', '1.3.0')).code, 0);
  t.match(await json(t, there, 'verify', 'plain.zip'), { public_key: null, signer: null, approved: true });
  bad(t, await extension(there, 'verify', 'plain.zip', '--key', public_key), 3, /acme\.hello 1\.3\.0 is not signed/);
  const unsigned = await json<{ content_hash: string }>(t, there, 'check', 'plain.zip');
  const stranger = signBundle({ id: 'acme.hello', version: '1.3.0', content_hash: unsigned.content_hash }, privateKey);
  await put(shell, 'plain.zip.sig', JSON.stringify(stranger));
  bad(t, await extension(there, 'verify', 'plain.zip', '--url', url), 5, /is signed by the key \S+: name the key that you expect/);
  t.match(await json(t, there, 'verify', 'plain.zip', '--url', url, '--key', stranger.public_key), { signer: stranger.public_key });
  await put(shell, 'bad.zip', bundle({ version: 'new' }));
  bad(t, await extension(there, 'publish', 'bad.zip'), 2, /^manifest_invalid: version: /m);
});

t.test('packing signs on request', async (t) => {
  const shell = await shellFor(t);
  await extension(shell, 'new', 'acme.greetings');
  t.equal((await extension(shell, 'pack', 'acme.greetings')).code, 0);
  t.notOk((await readdir(home(shell))).includes('acme.greetings-0.1.0.zip.sig'));
  const { code, stderr } = await extension(shell, 'pack', 'acme.greetings', '--sign');
  t.equal(code, 0, stderr);
  t.match(await json(t, shell, 'verify', 'acme.greetings-0.1.0.zip', '--key', keyFile(shell)), { id: 'acme.greetings' });
});
