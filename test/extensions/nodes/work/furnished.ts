import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import type { FurnishedFile } from '../../../../extensions/nodes/contract.js';
import { temporaryFolder } from '../../../helpers/platform.js';

/** A path that is longer than a name in a tar file. */
export const deep = `references/${'a-long-folder-name/'.repeat(15)}${'n'.repeat(60)}.md`;

/** Files on this machine, as they are to lie on a node. */
export async function filesOf(t: Test, contents: Readonly<Record<string, string | Buffer>>): Promise<FurnishedFile[]> {
  const folder = await temporaryFolder(t);
  return Promise.all(
    Object.entries(contents).map(async ([path, content], at) => {
      const from = join(folder, String(at));
      await writeFile(from, content);
      return { path, from, bytes: Buffer.byteLength(content), executable: path.startsWith('scripts/') };
    }),
  );
}
