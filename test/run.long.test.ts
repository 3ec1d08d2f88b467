import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';

const program = join(import.meta.dirname, 'run.js');
const passing = "import t from 'tap';\nt.test('holds', async (t) => t.ok(true));\n";

interface Run {
  readonly code: number;
  readonly last: string;
}

type Files = Readonly<Record<string, string>>;

/** How the test command ends in a project of its own, that has these test files. */
async function runOn(t: Test, files: Files, options?: { require?: string; options?: string[] }): Promise<Run> {
  const { code, output } = await outputOn(t, files, options);
  return { code, last: output.split('\n').at(-1) ?? '' };
}

/** The same with all that it says. */
async function outputOn(t: Test, files: Files, { require = '', options = [] as string[] } = {}): Promise<{ code: number; output: string }> {
  const folder = t.testdir({ '.taprc': await readFile('.taprc', 'utf8'), 'package.json': '{"type":"module"}', dist: { test: files } });
  // The outer run's coverage and settings are no business of the inner one.
  const outer = Object.entries(process.env).filter(([name]) => !/^_?TAP|^NODE_/.test(name));
  const env = { ...Object.fromEntries(outer), PLATFORM_TEST_REQUIRE: require };
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...options], { cwd: folder, env, timeout: 60_000 }, (error, stdout) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout.trimEnd() });
    });
  });
}

t.test('a passing run ends with 0 and counts tests rather than assertions', async (t) => {
  const groups = `${passing}t.test('group', async (t) => { t.test('a', async (t) => { t.ok(1); t.ok(1); }); t.test('b', async (t) => t.ok(1)); });\n`;
  t.same(await runOn(t, { 'a.test.js': groups }), { code: 0, last: '3 passed, 0 failed, 0 skipped' });
});

t.test('a failed test, an unfinished file, one that cannot be loaded and an uncaught error end the run with 1', async (t) => {
  const files = {
    'a.test.js': "import t from 'tap';\nt.test('breaks', async (t) => t.equal(1, 2));\n",
    'b.test.js': `${passing}process.exit(3);\n`,
    'c.test.js': "import './nowhere.js';\n",
    'd.test.js': passing,
    'e.test.js':
      "import t from 'tap';\nt.test('strays', () => new Promise((resolve) => setTimeout(() => { resolve(); throw new Error('stray'); })));\n",
  };
  t.same(await runOn(t, files), { code: 1, last: '2 passed, 4 failed, 0 skipped' });
});

t.test('the end of a run names each failed test with location and difference, in machine-readable lines', async (t) => {
  const files = { 'a.test.js': "import t from 'tap';\nt.test('breaks', async (t) => t.same({ a: 1, b: 2 }, { a: 1, b: 3 }));\n" };
  const { output } = await outputOn(t, files);
  const [, told = ''] = output.split('\nfailed: ');
  t.match(told, /^dist\/test\/a\.test\.js > breaks > should be equivalent\n {2}at dist\/test\/a\.test\.js:2\n/);
  t.match(told, /\n {2}- {2}"b": 3,\n {2}\+ {2}"b": 2,\n/);
  t.match(told, /\n\n0 passed, 1 failed, 0 skipped$/);
});

t.test('a run without tests is a failure', async (t) => {
  t.same(await runOn(t, { 'a.txt': '' }), { code: 1, last: '0 passed, 1 failed, 0 skipped' });
});

t.test('a skipped test is counted, and fails if its part is required', async (t) => {
  const files = {
    'a.test.js': passing,
    'b.test.js': "import t from 'tap';\nt.test('on Redis', { skip: 'needs redis' }, async () => {});\n",
  };
  t.same(await runOn(t, files, { require: 'postgres' }), { code: 0, last: '1 passed, 0 failed, 1 skipped' });
  t.same(await runOn(t, files, { require: 'redis' }), { code: 1, last: '1 passed, 1 failed, 0 skipped' });
});

t.test('long tests run separately, or when named', async (t) => {
  const files = { 'a.test.js': passing, 'b.long.test.js': `${passing}${passing.replace(/^.*\n/, '')}` };
  const last = (passed: number) => ({ code: 0, last: `${passed} passed, 0 failed, 0 skipped` });
  t.same(await runOn(t, files), last(1));
  t.same(await runOn(t, files, { options: ['--long'] }), last(2));
  t.same(await runOn(t, files, { options: ['--all'] }), last(3));
  t.same(await runOn(t, files, { options: ['dist/test/a.test.js', 'dist/test/b.long.test.js'] }), last(3));
});
