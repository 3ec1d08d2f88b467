import { existsSync } from 'node:fs';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Folder of this program. */
const platform = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[/\\]$/, '');

/** Links that an author's editor and compiler need, with their targets here. An installation without dev dependencies lacks the last three. */
const linkTargets = {
  platform: '.',
  '@types/node': 'node_modules/@types/node',
  typescript: 'node_modules/typescript',
  '.bin/tsc': 'node_modules/.bin/tsc',
};

/** Links the platform into an author's `node_modules`, for types only. Existing entries stay. */
export async function linkPlatform(folder: string): Promise<void> {
  for (const [name, source] of Object.entries(linkTargets)) {
    const target = join(platform, source);
    const link = join(folder, 'node_modules', name);
    if (!existsSync(target) || existsSync(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    // Replace a dangling link.
    if (await lstat(link).catch(() => undefined)) await rm(link, { force: true });
    await symlink(target, link);
  }
}
