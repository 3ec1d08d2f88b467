import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { removeFolder } from '../../kernel/platform/bundles/folder.js';
import { unpack } from '../../kernel/platform/bundles/reader.js';
import { callerOf } from '../helpers/platform.js';
import { startSandboxed } from '../kernel/platform/sandbox/world.js';
import { type Shell, shellFor } from './shell.js';

const home = (shell: Shell) => shell.env.HOME as string;

/** Runs a command that must succeed, and gives what it wrote. */
async function good(t: Test, shell: Shell, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await shell.run(args);
  t.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
}

const json = async <T>(t: Test, shell: Shell, args: readonly string[]) => JSON.parse(await good(t, shell, [...args, '--json'])) as T;

interface Packed {
  id: string;
  version: string;
  type: string;
  file: string;
  content_hash: string;
}

t.test('a new plugin can be tested, packed, checked and run unchanged', async (t) => {
  const shell = await shellFor(t);
  const made = await good(t, shell, ['extension', 'new', 'acme.greetings']);
  t.match(made, 'acme.greetings/index.ts\n');
  t.match(await good(t, shell, ['extension', 'test', 'acme.greetings']), /# pass 2\n# fail 0\n/);
  const packed = await json<Packed>(t, shell, ['extension', 'pack', 'acme.greetings']);
  t.match(packed, { id: 'acme.greetings', version: '0.1.0', type: 'plugin', file: join(home(shell), 'acme.greetings-0.1.0.zip') });
  const zip = await readFile(packed.file);
  t.equal(packed.content_hash, `sha256:${createHash('sha256').update(zip).digest('hex')}`);
  const again = await json<Packed>(t, shell, ['extension', 'pack', 'acme.greetings', '--out', 'again.zip']);
  t.equal(again.content_hash, packed.content_hash);
  const wanted = { id: 'acme.greetings', content_hash: packed.content_hash, permissions: { storage: true } };
  for (const path of ['acme.greetings', 'again.zip']) {
    const held = await json<{ files: { name: string }[] }>(t, shell, ['extension', 'check', path]);
    t.match(held, {
      ...wanted,
      contributes: { operations: { 'acme.greetings.greet': { method: 'POST' } }, commands: [{ command: 'greet' }] },
    });
    t.strictSame(
      held.files.map(({ name }) => name),
      ['README.md', 'index.cjs', 'manifest.json'],
    );
  }
  const folder = join(home(shell), 'unpacked');
  t.teardown(() => removeFolder(folder));
  await unpack(packed.file, folder);
  const { kernel } = await startSandboxed(t, [folder]);
  const ann = callerOf({ member_id: 7, username: 'ann', role: 'member' });
  const greet = async (name: string) => (await kernel.invoke('acme.greetings.greet', { name }, ann)).body;
  t.strictSame(await greet('Ada'), { greeting: 'Hello, Ada!', times: 1 });
  t.strictSame(await greet('Ada'), { greeting: 'Hello, Ada!', times: 2 });
  t.strictSame(Object.keys(kernel.host.catalog.operations.get('acme.greetings.greet') ? { found: 1 } : {}), ['found']);
});

t.test('a new skill can be packed and checked unchanged', async (t) => {
  const shell = await shellFor(t);
  await good(t, shell, ['extension', 'new', 'acme.minutes_writer', '--type', 'skill']);
  const tested = await shell.run(['extension', 'test', 'acme.minutes_writer']);
  t.strictSame([tested.code, tested.stdout], [0, '']);
  t.match(tested.stderr, /^A skill has no code to test/);
  const packed = await json<Packed>(t, shell, ['extension', 'pack', 'acme.minutes_writer', '--out', 'skill.zip']);
  t.match(packed, { id: 'acme.minutes_writer', type: 'skill' });
  const held = await json<{ files: { name: string }[] }>(t, shell, ['extension', 'check', 'skill.zip']);
  t.match(held, { skill: { name: 'acme-minutes-writer', description: /^Writes the minutes/ }, content_hash: packed.content_hash });
  t.strictSame(
    held.files.map(({ name }) => name),
    ['README.md', 'SKILL.md', 'manifest.json', 'references/form.md'],
  );
  const text = await good(t, shell, ['extension', 'check', 'acme.minutes_writer']);
  t.match(text, /^acme\.minutes_writer\tAcme Minutes Writer\t0\.1\.0\tskill\t/);
  t.match(text, '\nreferences/form.md\t');
});

t.test('a new project compiles unchanged, and finds the platform again after a move', async (t) => {
  const shell = await shellFor(t);
  await good(t, shell, ['extension', 'new', 'acme.greetings']);
  const folder = join(home(shell), 'acme.greetings');
  const compile = () => promisify(execFile)(join(folder, 'node_modules/.bin/tsc'), [], { cwd: folder });
  t.strictSame(await compile(), { stdout: '', stderr: '' });
  const table = join(folder, 'operations.ts');
  await writeFile(table, (await readFile(table, 'utf8')).replace("'POST'", "'PATCH'"));
  await t.rejects(compile(), { stdout: /operations\.ts.*PATCH/ } as unknown as Error);
  const link = join(folder, 'node_modules/platform');
  await rm(link);
  await symlink(join(folder, 'nowhere'), link);
  await shell.run(['extension', 'test', 'acme.greetings']);
  t.equal(await readlink(link), process.cwd());
});

t.test('all faults of a bundle are shown under the code of the first', async (t) => {
  const shell = await shellFor(t);
  await good(t, shell, ['extension', 'new', 'acme.greetings']);
  const folder = join(home(shell), 'acme.greetings');
  const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as object;
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify({ ...manifest, version: 'new', name: 'red \u001B[31m', limits: { cpu: 1 } }),
  );
  for (const command of ['check', 'pack']) {
    const { code, stdout, stderr } = await shell.run(['extension', command, 'acme.greetings']);
    t.strictSame([code, stdout], [2, '']);
    for (const path of ['version', 'name', 'limits.cpu']) t.match(stderr, new RegExp(`^manifest_invalid: ${path}: `, 'm'));
    t.notMatch(stderr, '\u001B');
    t.match(stderr, /^platform: manifest\.json is not valid: /m);
  }
  await writeFile(
    join(folder, 'manifest.json'),
    JSON.stringify({ ...manifest, id: 'platform.greetings', readme: 'ABOUT.md', contributes: {} }),
  );
  for (const name of ['operations.ts', 'commands.ts']) await rm(join(folder, name));
  await writeFile(join(folder, 'index.ts'), 'export default { activate() {} };');
  const { code, stdout, stderr } = await shell.run(['extension', 'check', 'acme.greetings']);
  t.equal(code, 5);
  t.match(stdout, /^platform\.greetings\t/, 'the contents of the bundle are shown all the same');
  t.match(stderr, /readme_invalid: .*ABOUT\.md[\s\S]*platform: The id 'platform\.greetings' can't be used/);
  t.strictSame((await readdir(home(shell))).sort(), ['acme.greetings']);
});

t.test('mistakes have the usual exit codes and change nothing', async (t) => {
  const shell = await shellFor(t);
  await mkdir(join(home(shell), 'mine'));
  await writeFile(join(home(shell), 'mine', 'note.txt'), 'mine');
  await writeFile(join(home(shell), 'text.zip'), 'no ZIP');
  const mistakes: [args: string[], code: number, message: RegExp][] = [
    [['new', 'mine'], 5, /is not empty/],
    [['new', 'mine/note.txt'], 5, /is not a folder/],
    [['new', 'Mine'], 2, /can't be one\nhint: use 2 to 64 lower-case letters/],
    [['new', 'search'], 5, /'search' is reserved for the platform/],
    [['new', 'members'], 5, /'members' is reserved for the platform/],
    [['new', 'other', '--type', 'theme'], 2, /There is no type 'theme'\nhint: there are: plugin, skill/],
    [['pack', 'mine'], 2, /There is no readable .*manifest\.json/],
    [['pack', 'none'], 2, /There is no readable .*manifest\.json/],
    [['check', 'none.zip'], 3, /There is no readable file none\.zip/],
    [['check', 'text.zip'], 2, /The file is no ZIP/],
    [['test', 'mine'], 2, /There are no tests in .*\nhint: name them \*\.test\.ts/],
  ];
  for (const [args, code, message] of mistakes) {
    const ended = await shell.run(['extension', ...args]);
    t.strictSame([ended.code, ended.stdout], [code, ''], args.join(' '));
    t.match(ended.stderr, message);
  }
  t.strictSame((await readdir(home(shell))).sort(), ['mine', 'text.zip']);
  t.strictSame(await readdir(join(home(shell), 'mine')), ['note.txt']);
});

t.test('`extension test` reports a wrong manifest like `extension check`, without a stack', async (t) => {
  const shell = await shellFor(t);
  await good(t, shell, ['extension', 'new', 'acme.greetings']);
  const file = join(home(shell), 'acme.greetings', 'manifest.json');
  const right = await readFile(file, 'utf8');
  for (const wrong of [right.replace(/}\s*$/, ',}'), right.replace('"version"', '"versoin"')]) {
    await writeFile(file, wrong);
    const [tested, checked] = [
      await shell.run(['extension', 'test', 'acme.greetings']),
      await shell.run(['extension', 'check', 'acme.greetings']),
    ];
    t.same(tested, checked);
    t.match(tested, { code: 2, stdout: '', stderr: /manifest\.json/ });
    t.notMatch(tested.stderr, /^ +at /m);
  }
});

t.test('a failing test fails the command', async (t) => {
  const shell = await shellFor(t);
  await good(t, shell, ['extension', 'new', 'acme.greetings']);
  const greeting = join(home(shell), 'acme.greetings', 'greeting.ts');
  await writeFile(greeting, (await readFile(greeting, 'utf8')).replace('Hello', 'Bye'));
  const { code, stdout } = await shell.run(['extension', 'test', 'acme.greetings']);
  t.equal(code, 1);
  t.match(stdout, /# fail 2\n/);
  t.match(stdout, /index\.test\.ts:\d+/, 'the error names its place in the source');
});

t.test('imports that only tests may use are rejected in plugins', async (t) => {
  const shell = await shellFor(t);
  await good(t, shell, ['extension', 'new', 'acme.greetings']);
  const index = join(home(shell), 'acme.greetings', 'index.ts');
  await writeFile(
    index,
    `import { startPlatform } from 'platform/testing';\nconsole.log(startPlatform);\n${await readFile(index, 'utf8')}`,
  );
  const { code, stderr } = await shell.run(['extension', 'pack', 'acme.greetings']);
  t.notSame(code, 0);
  t.match(stderr, /index\.ts can't be bundled: index\.ts:1: 'platform\/testing' is only for tests/);
});
