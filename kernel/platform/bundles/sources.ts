import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fail } from './codes.js';
import { isJunk } from './junk-files.js';
import { bundle_entries } from './limits.js';
import { assertSafe, shown } from './names.js';

export interface Sources {
  /** Relative paths with slashes, sorted. */
  files: readonly string[];
  /** Files and folders that are never packed. */
  left_out: readonly string[];
}

/**
 * Lists the files of an author's folder. Leaves out names that start with a dot, which are settings of editors, version control or secrets,
 * installed packages, and earlier packed ZIP files at the top.
 *
 * @throws `bundle_unreadable`, `bundle_special_entry`, `bundle_path_unsafe`, `bundle_too_many_entries`
 */
export async function sourcesIn(folder: string, id: string): Promise<Sources> {
  const files: string[] = [];
  const left_out: string[] = [];
  const isForeign = (path: string, name: string) =>
    name.startsWith('.') ||
    name === 'node_modules' ||
    isJunk(path) ||
    isJunk(`${path}/`) ||
    (path === name && name.startsWith(`${id}-`) && name.endsWith('.zip'));
  const visit = async (below: string): Promise<void> => {
    for (const entry of await list(join(folder, below))) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (isForeign(path, entry.name)) left_out.push(path);
      else if (entry.isDirectory()) await visit(path);
      else files.push(checked(path, entry));
      if (files.length > bundle_entries) throw fail('bundle_too_many_entries', `${folder} has more than ${bundle_entries} files`);
    }
  };
  await visit('');
  return { files: files.sort(), left_out: left_out.sort() };
}

async function list(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((cause: unknown) => {
    throw fail('bundle_unreadable', `There is no readable folder ${folder}`, { cause });
  });
}

function checked(path: string, entry: Dirent): string {
  if (!entry.isFile()) throw fail('bundle_special_entry', `'${shown(path)}' is neither a plain file nor a folder`);
  assertSafe(path);
  return path;
}
