import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';

/** Pages of extensions for browsers, which are bundled; `checkBrowserSafe` checks their imports. */
export const forBrowsers = /^extensions\/[^/]+\/web\//;

const tops = ['kernel', 'extensions', 'cli', 'tui', 'config'];

/** Every TypeScript source of the program below `root`, or in some of its folders, as a path from there with slashes. */
export function sourcesBelow(root: string, folders: readonly string[] = tops): string[] {
  return folders.flatMap((top) => typescriptIn(join(root, top))).map((file) => relative(root, file).split(sep).join('/'));
}

function typescriptIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name)).map((entry) => join(entry.parentPath, entry.name));
}
