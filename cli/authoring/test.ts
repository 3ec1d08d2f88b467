import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { testBundle } from '../../kernel/bundles/pack.js';
import { sourcesIn } from '../../kernel/bundles/sources.js';
import type { Context } from '../command.js';
import { exitCodes, UsageError } from '../exit.js';

const isTest = /\.test\.m?[jt]s$/;

/** Runs an author's tests with Node's own runner, each bundled first: so they may be TypeScript on every Node. */
export async function testExtension(given: string, { terminal, signal }: Context): Promise<void> {
  const folder = resolve(given);
  const { files } = await sourcesIn(folder, '');
  const tests = files.filter((file) => isTest.test(file));
  if (tests.length === 0) throw new UsageError(`There are no tests in ${folder}`, 'name them *.test.ts');
  const aside = await mkdtemp(join(tmpdir(), 'platform-extension-test-'));
  try {
    const bundles: string[] = [];
    for (const test of tests) {
      const bundle = join(aside, `${test.replaceAll('/', '_')}.cjs`);
      await writeFile(bundle, await testBundle(folder, test));
      bundles.push(bundle);
    }
    // What tells a runner that it is run by another one is not for this one.
    const { NODE_TEST_CONTEXT: _other, ...env } = terminal.env;
    const reporter = terminal.stdout.isTTY ? 'spec' : 'tap';
    const args = ['--enable-source-maps', '--test', `--test-reporter=${reporter}`, ...bundles];
    const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], signal });
    child.stdout.pipe(terminal.stdout, { end: false });
    child.stderr.pipe(terminal.stderr, { end: false });
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) process.exitCode = exitCodes.failure;
  } finally {
    await rm(aside, { recursive: true, force: true });
  }
}
