import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { startPlatform, temporaryFolder } from '../helpers/platform.js';

const skip = skipWithout('packages');
const options = { skip, timeout: 400_000 };

/** Stores the OpenAPI document of a platform; returns the folder and the file. */
async function stored(t: Test): Promise<{ folder: string; file: string }> {
  const { url } = await startPlatform(t);
  const folder = await temporaryFolder(t);
  const file = join(folder, 'openapi.json');
  await writeFile(file, await (await fetch(`${url}/openapi.json`)).text());
  return { folder, file };
}

/** Runs a program of packages that are no dependencies, where it doesn't find the project's own; returns what it printed. */
async function npx(folder: string, packages: readonly string[], words: readonly string[]): Promise<string> {
  const given = ['--yes', ...packages.map((name) => `--package=${name}`), '--', ...words];
  const quiet = { NO_COLOR: '1', npm_config_loglevel: 'error', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { stdout, stderr } = await promisify(execFile)('npx', given, {
    cwd: folder,
    env: { ...process.env, ...quiet },
    timeout: 300_000,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout + stderr;
}

t.test('redocly reports no problem', options, async (t) => {
  const { folder, file } = await stored(t);
  const config = resolve('test/docs/redocly.yaml');
  const text = await npx(folder, ['@redocly/cli@2.77.0'], ['redocly', 'lint', '--config', config, '--format', 'json', file]);
  const { totals, problems } = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
    totals: object;
    problems: object[];
  };
  t.same(problems, []);
  t.match(totals, { errors: 0, warnings: 0 });
});

t.test('openapi-typescript generates types without warnings', options, async (t) => {
  const { folder, file } = await stored(t);
  const types = join(folder, 'types.ts');
  const packages = ['typescript@5.9.3', 'openapi-typescript@7.13.0'];
  const text = await npx(folder, packages, ['openapi-typescript', file, '--output', types]);
  t.notMatch(text, /warn|error/i);
  t.match(await readFile(types, 'utf8'), '"chat.send"');
});

t.test('openapi-ts generates a client without warnings', options, async (t) => {
  const { folder, file } = await stored(t);
  const packages = ['node@24', 'typescript@5.9.3', '@hey-api/openapi-ts@0.99.0'];
  const text = await npx(folder, packages, ['openapi-ts', '--input', file, '--output', join(folder, 'client')]);
  t.notMatch(text, /warn|error/i);
  t.match(await readFile(join(folder, 'client', 'sdk.gen.ts'), 'utf8'), "'/api/chat/send'");
});
