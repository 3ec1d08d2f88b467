import { execFile } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { adminPassword, temporaryFolder } from '../helpers/platform.js';
import { startServer } from '../helpers/server-process.js';
import { markdownFiles, runnableBlocks } from './markdown.js';

const program = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

t.test('blocks marked `sh run` run in order on a fresh platform', async (t) => {
  const pages = await Promise.all(markdownFiles().map(async (page) => ({ page, blocks: runnableBlocks(await readFile(page, 'utf8')) })));
  const marked = pages.filter(({ blocks }) => blocks.length > 0);
  t.ok(marked.length > 0, 'some pages have blocks to run');
  for (const { page, blocks } of marked) await t.test(page, (t) => runPage(t, blocks));
});

async function runPage(t: Test, blocks: readonly string[]): Promise<void> {
  const folder = await temporaryFolder(t);
  const [data_dir, home, bin, work] = ['data', 'home', 'bin', 'work'].map((name) => join(folder, name)) as [string, string, string, string];
  for (const each of [home, bin, work]) await mkdir(each);
  await writeFile(join(bin, 'platform'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`);
  await chmod(join(bin, 'platform'), 0o755);
  const server = await startServer(t, { PLATFORM_DATA_DIR: data_dir });
  const env = { PATH: `${bin}:${process.env.PATH}`, HOME: home, PLATFORM_URL: server.url, ADMIN_PASSWORD: adminPassword };
  const login = 'printf %s "$ADMIN_PASSWORD" | platform login --url "$PLATFORM_URL" --username admin --password-stdin >&2';
  // One shell for all blocks, as a reader has it; the last number in its errors tells the block that failed.
  const script = [login, ...blocks.flatMap((block, at) => [`echo "block ${at + 1}" >&2`, block])].join('\n');
  const fault = await promisify(execFile)('bash', ['-e', '-o', 'pipefail', '-c', script], { cwd: work, env, timeout: 240_000 }).then(
    () => undefined,
    (error: Error & { stderr?: string }) => error.stderr ?? error.message,
  );
  t.equal(fault, undefined);
}
