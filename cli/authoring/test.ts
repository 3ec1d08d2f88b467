import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readSource, testBundle } from '../../kernel/platform/bundles/pack.js';
import { sourcesIn } from '../../kernel/platform/bundles/sources.js';
import type { Context } from '../command.js';
import { exitCodes, UsageError } from '../exit.js';
import { asTyped } from '../invocation.js';
import { harmless } from '../terminal.js';
import { reportingFaults } from './faults.js';
import { linkPlatform } from './links.js';

const testing = fileURLToPath(new URL('testing/index.js', import.meta.url));
const isTest = /\.test\.m?[jt]s$/;

/** Runs an author's tests with Node's test runner. Each is bundled first, so that it may be TypeScript on every Node version. */
export async function testExtension(path: string, { terminal, signal }: Context): Promise<void> {
  const folder = resolve(path);
  const { files } = await sourcesIn(folder, '');
  // Otherwise a wrong manifest would fail in each test, with a stack trace.
  if (files.includes('manifest.json')) await reportingFaults(readSource(folder), terminal);
  const tests = files.filter((file) => isTest.test(file));
  if (tests.length === 0 && files.includes('SKILL.md')) {
    const hint = asTyped('See the contents of its bundle with: platform extension check', terminal);
    terminal.stderr.write(`A skill has no code to test. ${hint} ${harmless(path)}\n`);
    return;
  }
  if (tests.length === 0) throw new UsageError(`There are no tests in ${folder}`, 'name them *.test.ts');
  // Only for the editor: tests find the platform themselves. So a read-only folder can be tested too.
  await linkPlatform(folder).catch(() => undefined);
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'platform-extension-test-'));
  try {
    const bundles: string[] = [];
    for (const test of tests) {
      const bundle = join(temporaryFolder, `${test.replaceAll('/', '_')}.cjs`);
      await writeFile(bundle, await testBundle(folder, test, testing));
      bundles.push(bundle);
    }
    // Node's runner sets NODE_TEST_CONTEXT for its children; this runner must not behave like one.
    const { NODE_TEST_CONTEXT: _other, ...env } = terminal.env;
    const reporter = terminal.stdout.isTTY ? 'spec' : 'tap';
    // Tests are bundled as CommonJS and require the platform's ES modules: older Node versions warn about that.
    const args = ['--enable-source-maps', '--disable-warning=ExperimentalWarning', '--test', `--test-reporter=${reporter}`, ...bundles];
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
    child.stdout.pipe(terminal.stdout, { end: false });
    child.stderr.pipe(terminal.stderr, { end: false });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) process.exitCode = exitCodes.failure;
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true });
  }
}
