import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expandHome } from './local-file.js';

export interface PathCompletion {
  /** Paths that begin like the typed one; that of a folder ends with `/`. Sorted, at most {@link max_paths}. */
  paths: string[];
  /** Number of further paths that are left out. */
  more: number;
}

const max_paths = 20;
/** Matches names that can't be typed, or that need more than quotation marks around them. */
const unusual = /["'\\`\p{Cc}\p{Cf}]/u;

/** Completes the path of a file. Hidden files are found only by their dot. A folder that can't be read is empty. */
export async function completePath(typed: string): Promise<PathCompletion> {
  const at = typed.lastIndexOf('/') + 1;
  const [shown, beginning] = [typed.slice(0, at), typed.slice(at)];
  const folder = shown === '' ? '.' : expandHome(shown);
  const isHidden = (name: string) => name.startsWith('.') && !beginning.startsWith('.');
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const fitting = entries.filter((entry) => isPossible(entry) && entry.name.startsWith(beginning) && !isHidden(entry.name));
  const sorted = fitting.sort((one, other) => (one.name < other.name ? -1 : 1));
  const paths: string[] = [];
  for (const entry of sorted.slice(0, max_paths)) paths.push(...(await pathOf(entry, folder)).map((path) => shown + path));
  return { paths, more: Math.max(0, sorted.length - max_paths) };
}

function isPossible(entry: Dirent): boolean {
  return (entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()) && !unusual.test(entry.name);
}

/** Returns a file or a folder; nothing for links that lead elsewhere. */
async function pathOf(entry: Dirent, folder: string): Promise<string[]> {
  const kind = entry.isSymbolicLink() ? await stat(join(folder, entry.name)).catch(() => entry) : entry;
  return kind.isDirectory() ? [`${entry.name}/`] : kind.isFile() ? [entry.name] : [];
}
