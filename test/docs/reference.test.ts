import { readFile } from 'node:fs/promises';
import t from 'tap';
import { page, type Run, reportOf } from '../bench/report.js';
import { startPlatform } from '../helpers/platform.js';
import { folder, pages } from './reference.js';

t.test('the reference in docs matches the code', async (t) => {
  const { kernel } = await startPlatform(t);
  for (const [name, text] of await pages(kernel)) {
    const stored = await readFile(`${folder}/${name}`, 'utf8').catch(() => '');
    t.ok(stored === text, `${folder}/${name} is up to date; otherwise run \`npm run docs\``);
  }
});

t.test('the page on performance shows the figures of one run, those in its file', async (t) => {
  const run = JSON.parse(await readFile(page.figures, 'utf8')) as Run;
  t.ok(run.benchmarks.length > 0);
  t.ok(reportOf(run) === (await readFile(page.path, 'utf8')), `${page.path} is up to date; otherwise run \`npm run docs\``);
});
