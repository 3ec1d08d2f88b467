import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import t from 'tap';
import { anchorsIn, linksIn, markdownFiles, runnableBlocks } from './markdown.js';

t.test('each link between pages leads to an existing file and heading', async (t) => {
  const faults: string[] = [];
  for (const page of markdownFiles()) {
    for (const { path, heading } of linksIn(await readFile(page, 'utf8'))) {
      const file = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(file)) faults.push(`${page}: ${path} does not exist`);
      else if (heading !== '' && file.endsWith('.md') && !anchorsIn(await readFile(file, 'utf8')).has(heading))
        faults.push(`${page}: ${file} has no heading #${heading}`);
    }
  }
  t.same(faults, []);
});

t.test('links, headings and blocks are parsed as forges do', async (t) => {
  const text =
    '# One `two`, three\n[a](b.md#c-d) `[x](y)` <img src="i.svg"> [w](https://example.org)\n```sh run\n# no [z](z)\n```\n## One\n## One\n';
  t.same(linksIn(text), [
    { path: 'b.md', heading: 'c-d' },
    { path: 'i.svg', heading: '' },
  ]);
  t.same([...anchorsIn(text)], ['one-two-three', 'one', 'one-1']);
  t.same(runnableBlocks(text), ['# no [z](z)\n']);
});
