import type { Dirent } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { entriesBelow } from '../../files/entries-below.js';

const max_entries = 2_000;

/**
 * Returns the real path of a bundle's folder after checking its content: nothing in it may lead elsewhere or bypass
 * Node's permission model.
 *
 * @param uid The user of its process, if it is not ours: must be able to read the folder, but not own it.
 * @throws An error that names the entry.
 */
export async function checkedFolder(folder: string, uid: number | undefined): Promise<string> {
  const real = await realpath(folder);
  await assertReadable(real, '', uid);
  const entries = await entriesOf(real);
  for (const entry of entries) {
    const path = join(entry.parentPath, entry.name);
    assertPlain(entry, relative(real, path));
    await assertReadable(path, relative(real, path), uid);
  }
  return real;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  const entries = await entriesBelow(folder);
  if (entries.length <= max_entries) return entries;
  throw new Error(`Its folder contains ${entries.length} entries, but at most ${max_entries} are allowed`);
}

function assertPlain(entry: Dirent, path: string): void {
  if (entry.isSymbolicLink()) throw new Error(`Its folder contains a symbolic link: ${path}`);
  if (!entry.isFile() && !entry.isDirectory()) throw new Error(`Its folder contains an entry that is neither file nor folder: ${path}`);
  if (/\.node$/i.test(entry.name)) throw new Error(`Its folder contains a native addon: ${path}`);
}

async function assertReadable(path: string, name: string, uid: number | undefined): Promise<void> {
  if (uid === undefined) return;
  const stats = await stat(path);
  const at = name === '' ? 'Its folder' : `In its folder ${name}`;
  if (stats.uid === uid) throw new Error(`${at} belongs to the user of its process`);
  const required = stats.isDirectory() ? 0o005 : 0o004;
  if ((stats.mode & required) !== required)
    throw new Error(`${at} can't be read by the user of its process: other users need read permission`);
}
