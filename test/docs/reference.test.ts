import { readFile } from 'node:fs/promises';
import t from 'tap';
import { startPlatform } from '../helpers/platform.js';
import { folder, pages } from './reference.js';

t.test('the reference in docs matches the code', async (t) => {
  const { kernel } = await startPlatform(t);
  for (const [name, text] of await pages(kernel)) {
    const stored = await readFile(`${folder}/${name}`, 'utf8').catch(() => '');
    t.ok(stored === text, `${folder}/${name} is up to date; otherwise run \`npm run docs\``);
  }
});
