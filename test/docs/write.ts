import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { page, type Run, reportOf } from '../bench/report.js';
import { folder, pages } from './reference.js';

/**
 * Writes the reference pages anew, and the page on performance from the figures of the last report. Run it in the
 * folder of the project: `npm run docs`.
 */
const data_dir = await mkdtemp(join(tmpdir(), 'platform-docs-'));
const kernel = await boot(loadConfig({ env: {}, overrides: { data_dir, port: 0 } }), { listen: true, background: false });
try {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of await pages(kernel)) await writeFile(join(folder, name), text);
} finally {
  await kernel.close();
  await rm(data_dir, { recursive: true, force: true });
}
await writeFile(page.path, reportOf(JSON.parse(await readFile(page.figures, 'utf8')) as Run));
