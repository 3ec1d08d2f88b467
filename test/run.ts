import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { setPriority, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { compilerFlags } from '../kernel/platform/process/v8-flags.js';
import { findPart, requiredParts } from './helpers/parts.js';
import { startPostgres } from './helpers/postgres.js';
import type { Tally } from './tally.js';
import { slowest, tally } from './tally.js';

const memory = '/dev/shm';
const wanted_bytes = 4 * 1024 ** 3;

/**
 * Plugins run ten steps below their platform, but nobody runs below 19: from here they are four steps below. Beside tests
 * that keep all processors busy they would get a tenth of what each of these gets, and take minutes.
 */
const priority = 15;

const uncounted = '--disable-coverage';
/** In place of .taprc's: the files of tests that take minutes. */
const long = ['--include=dist/test/**/*.long.test.js', '--exclude=**/fixtures/**'];
/** The same for all files. */
const all = ['--exclude=**/fixtures/**'];

/**
 * `npm test` after build and checks: runs tap (on the files given; with `--long` on all `*.long.test.js`, with
 * `--all` on all, else on all others), then prints `N passed, N failed, N skipped` as its last line. Exit code 1 where a
 * test failed, none passed, or a required part's tests were skipped. Coverage costs a third of the time, and is told with
 * `--coverage`.
 */
async function run(): Promise<number> {
  setPriority(priority);
  const folder = await workFolder();
  process.env.TMPDIR = folder;
  // One server for all files: making one costs as much as most of them.
  const postgres = findPart('postgres') && (await startPostgres());
  if (postgres) process.env.PLATFORM_TEST_POSTGRES_URL = postgres.url;
  try {
    const output = join(folder, 'results.tap');
    const node = [`--import=${beside('plain-process.js')}`, ...compilerFlags].map((option) => `--node-arg=${option}`);
    const options = ['--reporter=min', `--output-file=${output}`, ...node];
    const code = await tap([...options, ...asked(process.argv.slice(2))]);
    const text = await readFile(output, 'utf8').catch(() => '');
    console.log(['The slowest:', ...slowest(text)].join('\n  '));
    return report(tally(text), code);
  } finally {
    await postgres?.dispose();
    await rm(folder, { recursive: true, force: true });
  }
}

/** The options and files, as tap takes them. */
function asked(given: readonly string[]): string[] {
  const coverage = given.includes('--coverage') ? [] : [uncounted];
  const files = given.includes('--long') ? long : given.includes('--all') ? all : [];
  return [...coverage, ...files, ...given.filter((option) => !['--coverage', '--long', '--all'].includes(option))];
}

/**
 * Where all tests put their files: in memory where there is room, since making a PostgreSQL database on a disk costs
 * ten times as much, and each test makes one. Whoever runs a server as another account must get in.
 */
async function workFolder(): Promise<string> {
  const free = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  const folder = await mkdtemp(join(free > wanted_bytes ? memory : tmpdir(), 'platform-tests-'));
  await chmod(folder, 0o711);
  return folder;
}

const beside = (file: string) => new URL(file, import.meta.url).href;

async function tap(options: readonly string[]): Promise<number> {
  const program = join(dirname(createRequire(import.meta.url).resolve('tap/package.json')), 'dist/esm/run.mjs');
  const before = options.includes(uncounted) ? [`--import=${beside('unrecorded.js')}`] : [];
  const child = spawn(process.execPath, [...before, program, 'run', ...options], { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : 1;
}

function report({ passed, failed, skipped, faults: told }: Tally, code: number): number {
  for (const fault of told) console.log(`\nfailed: ${fault}`);
  const required = requiredParts(process.env);
  const refused = skipped.filter((reason) => required.some((part) => reason.split(/\W+/).includes(part)));
  for (const reason of new Set(skipped)) console.log(`skipped ${skipped.filter((other) => other === reason).length}: ${reason}`);
  if (refused.length > 0) console.log(`PLATFORM_TEST_REQUIRE forbids ${refused.length} of these`);
  if (passed === 0) console.log('No test passed: that is a failure too');
  // tap may fail for more than a test: a file that can't be loaded, a time-out, a bail-out.
  const faults = failed === 0 && code !== 0 ? 1 : failed;
  // On a line of its own: tap leaves escape codes behind.
  console.log(`\n${passed} passed, ${faults + refused.length} failed, ${skipped.length - refused.length} skipped`);
  return faults > 0 || refused.length > 0 || passed === 0 ? 1 : 0;
}

process.exitCode = await run();
