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
import { told } from './faults.js';
import { linkPlatform } from './links.js';

const testing = fileURLToPath(new URL('testing/index.js', import.meta.url));
const isTest = /\.test\.m?[jt]s$/;

/** Runs an author's tests with Node's own runner, each bundled first: so they may be TypeScript on every Node. */
export async function testExtension(given: string, { terminal, signal }: Context): Promise<void> {
  const folder = resolve(given);
  const { files } = await sourcesIn(folder, '');
  // A wrong manifest would fail in each test, with a stack.
  if (files.includes('manifest.json')) await told(readSource(folder), terminal);
  const tests = files.filter((file) => isTest.test(file));
  if (tests.length === 0 && files.includes('SKILL.md')) {
    const hint = asTyped('Look at what its bundle would hold: platform extension check', terminal);
    terminal.stderr.write(`A skill has no code to test. ${hint} ${harmless(given)}\n`);
    return;
  }
  if (tests.length === 0) throw new UsageError(`There are no tests in ${folder}`, 'name them *.test.ts');
  // For the editor: tests find the platform by themselves. A folder that can't be written to is tested all the same.
  await linkPlatform(folder).catch(() => undefined);
  const aside = await mkdtemp(join(tmpdir(), 'platform-extension-test-'));
  try {
    const bundles: string[] = [];
    for (const test of tests) {
      const bundle = join(aside, `${test.replaceAll('/', '_')}.cjs`);
      await writeFile(bundle, await testBundle(folder, test, testing));
      bundles.push(bundle);
    }
    // What tells a runner that it is run by another one is not for this one.
    const { NODE_TEST_CONTEXT: _other, ...env } = terminal.env;
    const reporter = terminal.stdout.isTTY ? 'spec' : 'tap';
    // The platform is modules, tests become what requires them: Node tells on its older versions that this is new.
    const args = ['--enable-source-maps', '--disable-warning=ExperimentalWarning', '--test', `--test-reporter=${reporter}`, ...bundles];
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
    child.stdout.pipe(terminal.stdout, { end: false });
    child.stderr.pipe(terminal.stderr, { end: false });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) process.exitCode = exitCodes.failure;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
