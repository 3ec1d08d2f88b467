import { existsSync } from 'node:fs';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of the installed platform. */
const platformFolder = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[/\\]$/, '');

/**
 * Names of the links in `node_modules` by which an author's editor and compiler find types, and their targets below the platform's folder.
 * An installation without development dependencies lacks the last three targets.
 */
const linkTargets = {
  platform: '.',
  '@types/node': 'node_modules/@types/node',
  typescript: 'node_modules/typescript',
  '.bin/tsc': 'node_modules/.bin/tsc',
};

/**
 * Links the platform and what is needed to check types into an author's `node_modules`. Skips targets that this installation lacks, and
 * existing entries. Only editor and compiler use the links: tests and running plugins find the platform themselves.
 */
export async function linkPlatform(folder: string): Promise<void> {
  for (const [name, path] of Object.entries(linkTargets)) {
    const target = join(platformFolder, path);
    const link = join(folder, 'node_modules', name);
    if (!existsSync(target) || existsSync(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    // Replace a dangling link.
    if (await lstat(link).catch(() => undefined)) await rm(link, { force: true });
    await symlink(target, link);
  }
}
