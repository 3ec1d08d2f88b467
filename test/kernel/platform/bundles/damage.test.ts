import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { bundleCodes } from '../../../../kernel/platform/bundles/codes.js';
import { removeFolder } from '../../../../kernel/platform/bundles/folder.js';
import { unpack } from '../../../../kernel/platform/bundles/reader.js';
import { codeOf, contentsOf, goodPlugin, place } from './world.js';
import { zipOf } from './zip.js';

const bytes = zipOf(goodPlugin(), { comment: Buffer.from('a comment') });

const damages = {
  'a byte becomes another': fc
    .tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 }))
    .map(([at, value]) => Buffer.from(bytes).fill(value, at, at + 1)),
  'four bytes become others': fc
    .tuple(fc.nat(bytes.length - 4), fc.constantFrom(0, 1, 0x7fff_ffff, 0xffff_ffff, 0x04034b50, 0x06054b50))
    .map(([at, value]) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt32LE(value, at);
      return changed;
    }),
  'a piece is cut out': fc
    .tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 64 }))
    .map(([at, length]) => Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])),
  'a piece comes twice': fc
    .tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 200 }))
    .map(([at, length]) => Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])),
};

for (const [what, damaged] of Object.entries(damages)) {
  t.test(`a bundle with ${what} has the same content or is rejected with a code`, async (t) => {
    const { folder, put } = await place(t);
    const good = await unpackedFrom(folder, await put(bytes));
    const known = new Set<string>([...Object.keys(bundleCodes)]);
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(damaged, async (damaged) => {
        const file = await put(damaged);
        const ending = await unpackedFrom(folder, file).catch((fault: unknown) => codeOf(Promise.reject(fault as Error)));
        if (typeof ending !== 'string') return JSON.stringify(ending) === JSON.stringify(good);
        refused += 1;
        return known.has(ending);
      }),
      { numRuns: 200 },
    );
    t.ok(refused > 100, `${refused} of 200 were rejected`);
  });
}

/** The files that come out, by their names. */
async function unpackedFrom(folder: string, file: string): Promise<Record<string, string>> {
  const target = join(folder, 'unpacked');
  try {
    await unpack(file, target);
    return await contentsOf(target);
  } finally {
    await removeFolder(target);
    await mkdir(folder, { recursive: true });
  }
}
