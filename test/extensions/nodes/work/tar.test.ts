import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import t from 'tap';
import tar from 'tar-stream';
import type { FurnishedFile } from '../../../../extensions/nodes/contract.js';
import { tarOf } from '../../../../extensions/nodes/work/furnishing/tar.js';
import { deep, filesOf } from './furnished.js';

t.test('other programs read the archive with all names, sizes and modes', async (t) => {
  const contents = {
    'SKILL.md': '# Hi\n',
    'assets/räksmörgås 😀.txt': 's'.repeat(512),
    'bin/x': '#!/bin/sh\n',
    'scripts/none': '',
    [deep]: 'deep',
  };
  const found: Record<string, string> = {};
  const extract = tar.extract();
  extract.on('entry', ({ name, mode }, stream, next) => {
    const parts: Buffer[] = [];
    stream.on('data', (part) => void parts.push(part as Buffer));
    stream.on('end', () => {
      found[name] = `${mode?.toString(8)} ${Buffer.concat(parts).toString()}`;
      next();
    });
  });
  await pipeline(Readable.from(tarOf(await filesOf(t, contents))), extract);
  const modes: Readonly<Record<string, string>> = { 'bin/x': '755', 'scripts/none': '755' };
  t.same(found, Object.fromEntries(Object.entries(contents).map(([name, text]) => [name, `${modes[name] ?? '644'} ${text}`])));
});

t.test('archiving a file that is gone or has another size fails', async (t) => {
  const [file] = await filesOf(t, { one: 'one' });
  const written = (change: object) =>
    pipeline(Readable.from(tarOf([{ ...(file as FurnishedFile), ...change }])), async (source) => {
      for await (const _piece of source);
    });
  await written({});
  await t.rejects(written({ from: '/nowhere/at/all' }), { code: 'not_found', message: "'one' was just removed or replaced; try again" });
  await t.rejects(written({ from: `${file?.from}/below` }), { code: 'ENOTDIR' }, 'another fault is not reported as a missing file');
  await t.rejects(written({ bytes: 4 }), { code: 'internal_error', message: "'one' has 3 bytes, not 4" });
});
