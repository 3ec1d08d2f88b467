import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { Shell } from '../cli/shell.js';
import { say, startModelServer } from '../helpers/model-server.js';
import { adminPassword, temporaryFolder } from '../helpers/platform.js';

/** The release before this one: built from the last commit of 2026-11-25, and packed as `npm run release` packs. */
const previous = fileURLToPath(new URL('../fixtures/releases/platform-0.1.0.tgz', import.meta.url));

interface Package {
  version: string;
  dependencies: Record<string, string>;
  [key: string]: unknown;
}

interface Lock {
  packages: Record<string, { name?: string; version: string; dev?: boolean; devOptional?: boolean }>;
}

interface Bom {
  metadata: { component: { name: string; version: string } };
  components: { 'bom-ref': string; licenses?: unknown[] }[];
}

const run = promisify(execFile);
const read = async <T>(file: string) => JSON.parse(await readFile(file, 'utf8')) as T;
const source = await read<Package>('package.json');
const work = await temporaryFolder(t);
const release = join(work, 'release');
const tarball = join(release, `platform-${source.version}.tgz`);
const model = await startModelServer(t);
/** Calls of a docker that builds nothing. */
const calls = await makeRelease();

/** Makes the release by its script, with the image. */
async function makeRelease(): Promise<string> {
  const bin = join(work, 'bin');
  const file = join(work, 'docker-calls');
  await mkdir(bin);
  await writeFile(join(bin, 'docker'), `#!/bin/sh\necho "$@" >> '${file}'\n`);
  await chmod(join(bin, 'docker'), 0o755);
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) };
  await run(process.execPath, ['scripts/release/main.mjs', release, '--image'], { env });
  return readFile(file, 'utf8');
}

t.test('a release has a package, checksums, a bill of materials, notices and the name of the image', async (t) => {
  const sums = (await readFile(join(release, 'SHA256SUMS'), 'utf8')).trim().split('\n');
  const named = sums.map((line) => line.split('  ') as [string, string]);
  t.same([...named.map(([, file]) => file), 'SHA256SUMS'].sort(), (await readdir(release)).sort());
  for (const [sum, file] of named) {
    const digest = createHash('sha256').update(await readFile(join(release, file)));
    t.equal(digest.digest('hex'), sum, file);
  }
  const tag = `platform:${source.version}`;
  t.equal(await readFile(join(release, 'IMAGE'), 'utf8'), `${tag}\n`);
  t.equal(calls, `build -f deploy/Dockerfile --build-arg VERSION=${source.version} -t ${tag} .\n`);
});

t.test('the bill of materials and the notices name each package that is installed', async (t) => {
  const bom = await read<Bom>(join(release, `platform-${source.version}.cdx.json`));
  t.match(bom.metadata.component, { name: 'platform', version: source.version });
  const listed = new Set(bom.components.map((component) => component['bom-ref']));
  const notices = await readFile(join(release, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  const { packages } = await read<Lock>('package-lock.json');
  const installed = Object.entries(packages).filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional);
  t.ok(installed.length > 400, `${installed.length} packages`);
  for (const [path, { name = path.split('node_modules/').at(-1), version }] of installed) {
    const id = `${name}@${version}`;
    if (!listed.has(id)) t.fail(`the bill of materials has no ${id}`);
    if (!notices.includes(`\n${id} (`)) t.fail(`the notices have no ${id}`);
  }
  t.same(
    Object.entries(source.dependencies).filter(([name, version]) => !listed.has(`${name}@${version}`)),
    [],
  );
  t.same(
    bom.components.filter(({ licenses = [] }) => licenses.length === 0),
    [],
    'each package has a licence',
  );
  t.notOk([...listed].some((id) => /^(tap|typescript|knip)@/.test(id)));
});

t.test('the package contains the files that run, and nothing of this machine', async (t) => {
  const folder = join(work, 'unpacked');
  await mkdir(folder);
  await run('tar', ['-xzf', tarball, '-C', folder]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  t.ok(files.length > 1000);
  t.same(
    files.filter((file) => /\.map$|\.test\.[jt]s$|\/dist\/test\/|\/deploy\/secrets\//.test(file)),
    [],
  );
  const here = [process.cwd(), work, 'platform-release-', process.env.HOME?.match(/^\/(home|Users)\/.+/)?.[0] ?? process.cwd()];
  for (const file of files) {
    const bytes = await readFile(file);
    for (const path of here) if (bytes.includes(path)) t.fail(`${file} names ${path}`);
  }
  const { scripts, devDependencies, bin, ...manifest } = await read<Package>(join(folder, 'package/package.json'));
  t.same([scripts, devDependencies, bin], [undefined, undefined, { platform: 'dist/cli/main.js' }]);
  t.match(manifest, { private: true, version: source.version, dependencies: source.dependencies });
});

const prebuilt = join(work, 'prebuilt');
await mkdir(prebuilt);
const sqlite3 = dirname(createRequire(import.meta.url).resolve('sqlite3/package.json'));
const { version: sqliteVersion } = await read<Package>(join(sqlite3, 'package.json'));
const archive = `sqlite3-v${sqliteVersion}-napi-v6-${process.platform}-${process.arch}.tar.gz`;
await run('tar', ['-czf', join(prebuilt, archive), '-C', sqlite3, 'build/Release/node_sqlite3.node']);
/** For npm: sqlite3's binary comes from this checkout, because the server that has it may be out of reach. */
const fromHere = { ...process.env, npm_config_sqlite3_local_prebuilds: prebuilt };

/** Installs a tarball as a person does. */
async function install(prefix: string, file: string): Promise<void> {
  const options = ['--prefix', prefix, '--allow-scripts=sqlite3', '--prefer-offline', '--no-audit', '--no-fund'];
  await run('npm', ['install', '--global', ...options, file], { env: fromHere });
}

/** A person's shell in which `platform` is an installed one; data, home and settings are the same for each. */
function shellOf(prefix: string, home: string): Shell {
  const env = {
    PLATFORM_MODEL_BASE_URL: model.url,
    PLATFORM_MODEL_NAME: 'quartz-1',
    // Where namespaces are not to be had, only plugins run that are trusted.
    PLATFORM_PLUGINS_TRUSTED: 'acme.greetings,acme.early',
  };
  return new Shell(home, env, join(prefix, 'bin/platform'));
}

/** Runs a command that must succeed. */
async function done(t: Test, shell: Shell, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await shell.run(args, input);
  t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Makes a plugin from the template, for these platforms, and installs it. */
async function addPlugin(t: Test, shell: Shell, id: string, platforms: string): Promise<void> {
  await done(t, shell, ['extension', 'new', id]);
  const file = join(shell.env.HOME ?? '', id, 'manifest.json');
  await writeFile(file, JSON.stringify({ ...(await read<object>(file)), engines: { platform: platforms } }));
  await done(t, shell, ['extension', 'pack', id, '--out', `${id}.zip`]);
  await done(t, shell, ['extension', 'publish', `${id}.zip`, '--no-sign']);
  await done(t, shell, ['extension', 'approve', id, '0.1.0']);
  await done(t, shell, ['extension', 'install', id, '--yes']);
}

async function reply(t: Test, shell: Shell, question: string, answer: string): Promise<void> {
  model.script(say(answer));
  t.match(await done(t, shell, ['chat', 'send', question, '--follow']), answer);
}

async function stop(server: Awaited<ReturnType<Shell['serve']>>): Promise<void> {
  server.child.kill('SIGTERM');
  await server.ended;
}

t.test('an installed platform is upgraded from the version before, and goes back to it', async (t) => {
  const home = join(work, 'home');
  const [before, after] = [join(work, 'before'), join(work, 'after')];
  await mkdir(home);
  await install(before, previous);
  const old = shellOf(before, home);

  await t.test('the version before makes data and a backup', async (t) => {
    const server = await old.serve(t);
    await done(t, old, ['member', 'create', 'mary', '--password-stdin'], adminPassword);
    await reply(t, old, 'Is the harbour frozen?', 'Only in February.');
    await done(t, old, ['schedule', 'create', 'Nightly', 'cron', '0 3 * * *', 'maintenance.cleanup']);
    await addPlugin(t, old, 'acme.greetings', '>=0.1.0 <0.3.0');
    await addPlugin(t, old, 'acme.early', '^0.1.0');
    t.match(await done(t, old, ['x', 'acme.greetings', 'greet', 'Ada']), /Hello, Ada!\s+1/);
    await done(t, old, ['backup', '--out', 'before-upgrade.tar']);
    await stop(server);
  });

  // The old program stays, for the way back.
  await cp(before, after, { recursive: true, verbatimSymlinks: true });
  await install(after, tarball);
  const now = shellOf(after, home);

  await t.test('each command starts from the installed package', async (t) => {
    const program = join(after, 'bin/platform');
    t.equal((await run(program, ['--version'], { env: now.env })).stdout, `platform ${source.version}\n`);
    t.match((await run(program, ['--help'], { env: now.env })).stdout, 'platform serve');
  });

  await t.test('the new version has the data, and works', async (t) => {
    const started = performance.now();
    const server = await now.serve(t);
    t.comment(`listening after ${((performance.now() - started) / 1000).toFixed(1)} s, ${await megabytes(after)} MB installed`);
    const login = ['login', '--url', server.url, '--username', 'admin', '--password-stdin'];
    await done(t, now, login, adminPassword);
    t.match(await done(t, now, ['--url', server.url, 'member', 'list']), /\bmary\b/);
    t.match(await done(t, now, ['chat', 'search', 'February']), 'Only in February.');
    t.match(await done(t, now, ['schedule', 'list']), /Nightly\t.*0 3 \* \* \*/);
    t.match(await done(t, now, ['x', 'acme.greetings', 'greet', 'Ada']), /Hello, Ada!\s+2/);
    t.match(await done(t, now, ['audit', 'list']), /members\.create/);
    t.match(await done(t, now, ['tui']), new RegExp(source.version.replaceAll('.', '\\.')));
    await reply(t, now, 'And the canal?', 'Never.');
    await done(t, now, ['member', 'create', 'late', '--password-stdin'], adminPassword);
    await pagesWork(t, server.url);

    const early = await now.run(['doctor']);
    t.not(early.code, 0, 'a plugin for the previous version is reported');
    t.match(early.stdout, /acme\.early.*needs platform \^0\.1\.0, but this is/);
    await done(t, now, ['extension', 'rm', 'acme.early', '--yes']);
    await done(t, now, ['doctor']);
    await stop(server);
  });

  await t.test('authors get templates, types and tests from the package', async (t) => {
    await done(t, now, ['extension', 'new', 'acme.notes']);
    await done(t, now, ['extension', 'test', 'acme.notes']);
    const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
    await t.resolves(run(process.execPath, [compiler, '--noEmit', '-p', join(home, 'acme.notes')]));
  });

  await t.test('the old program refuses the upgraded data, and restores its backup', async (t) => {
    const refused = await old.run(['serve']);
    t.match(refused.stderr, /belongs to a newer version of 'kernel'/);
    await rename(old.data_dir, `${old.data_dir}.new`);
    await mkdir(old.data_dir, { mode: 0o700 });
    await cp(join(`${old.data_dir}.new`, 'secret.key'), join(old.data_dir, 'secret.key'));
    await done(t, old, ['restore', 'before-upgrade.tar']);
    const server = await old.serve(t);
    const members = await done(t, old, ['member', 'list']);
    t.match(members, /\bmary\b/);
    t.notMatch(members, /\blate\b/, 'data written after the backup is gone');
    t.match(await done(t, old, ['chat', 'search', 'February']), 'Only in February.');
    t.match(await done(t, old, ['x', 'acme.greetings', 'greet', 'Ada']), /Hello, Ada!\s+2/);
    await reply(t, old, 'Is it open again?', 'Since March.');
    await stop(server);
  });
  await rm(home, { recursive: true });
});

t.test('the unpacked package takes exactly the versions that were tested', async (t) => {
  const folder = join(work, 'unpacked/package');
  await run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder, env: fromHere });
  const { packages } = await read<Lock>('package-lock.json');
  const installed = await read<Lock>(join(folder, 'node_modules/.package-lock.json'));
  for (const [path, { version }] of Object.entries(installed.packages)) {
    if (packages[path]?.version !== version) t.fail(`${path} is ${version} instead of ${packages[path]?.version}`);
  }
  t.ok(Object.keys(installed.packages).length > 400);
  t.equal((await run(join(folder, 'dist/cli/main.js'), ['--version'])).stdout, `platform ${source.version}\n`);
});

async function megabytes(folder: string): Promise<number> {
  return Number((await run('du', ['-sm', folder])).stdout.split('\t')[0]);
}

/** Pages and their parts come from files of installed packages. */
async function pagesWork(t: Test, url: string): Promise<void> {
  for (const path of ['/docs', '/docs/ui/swagger-ui.css', '/openapi.json']) {
    const response = await fetch(`${url}${path}`);
    t.equal(response.status, 200, path);
    await response.arrayBuffer();
  }
}
