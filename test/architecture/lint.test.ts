import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';

/** Violations that the linters must find, each planted once. Nothing else shows that they run without types or on no files. */
const planted: Readonly<Record<string, string>> = {
  'no-floating-promises': 'export function forget() {\n  work();\n}',
  'no-misused-promises': 'export const answer = () => (work() ? 1 : 2);',
  'await-thenable': 'export const waited = async () => await 3;',
  'no-explicit-any': 'export const anything: any = 3;',
  'ban-ts-comment': "// @ts-ignore because\nexport const wrong: number = '3';",
  'no-cycle': "import { other } from './other.js';\nexport const work = (): unknown => other;",
};

t.test('each rule that needs types or several files reports the violation planted for it', async (t) => {
  const files = Object.entries(planted).map(([rule, text]) => {
    const work = rule === 'no-cycle' ? '' : 'const work = async () => 3;\n';
    return [`${rule}.ts`, `${work}${text}\n`];
  });
  const options = await readFile('tsconfig.json', 'utf8');
  const folder = await write(t, {
    ...Object.fromEntries(files),
    'other.ts': "import { work } from './no-cycle.js';\nexport const other = (): unknown => work;\n",
    'tsconfig.json': options.replace(/"include".*\]/, '"include": ["*.ts"]').replace('"types": ["node"]', '"types": []'),
    '.oxlintrc.json': await readFile('.oxlintrc.json', 'utf8'),
  });
  const found = await lint(folder);
  for (const rule of Object.keys(planted)) t.ok(found.includes(`${rule} in ${rule}.ts`), rule);
});

/** Outside the project, whose ignored folders the linter passes over. */
async function write(t: Test, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-lint-'));
  t.teardown(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

interface Finding {
  readonly code: string;
  readonly filename: string;
}

async function lint(folder: string): Promise<string[]> {
  const program = join(dirname(createRequire(import.meta.url).resolve('oxlint/package.json')), 'dist/cli.js');
  // Its part that knows types is a program of its own, which it looks for in the path.
  const path = [join(process.cwd(), 'node_modules/.bin'), process.env.PATH].join(delimiter);
  const report = await open(join(folder, 'report.json'), 'w+');
  const child = spawn(process.execPath, [program, '--type-aware', '--format=json'], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', report.fd, 'inherit'],
    timeout: 60_000,
  });
  await once(child, 'exit');
  const output = await readFile(join(folder, 'report.json'), 'utf8');
  await report.close();
  const { diagnostics } = JSON.parse(output) as { diagnostics: readonly Finding[] };
  return diagnostics.map(({ code, filename }) => `${/\(([^)]+)\)/.exec(code)?.[1]} in ${filename}`);
}
