import { existsSync } from 'node:fs';
import { lstat, mkdir, rm, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where this program lies. */
const platform = fileURLToPath(new URL('../../../', import.meta.url)).replace(/[/\\]$/, '');

/** What an author's editor and compiler look for, and where it lies here; a platform that was installed without them lacks the last three. */
const wanted = {
  platform: '.',
  '@types/node': 'node_modules/@types/node',
  typescript: 'node_modules/typescript',
  '.bin/tsc': 'node_modules/.bin/tsc',
};

/** Links the platform into an author's `node_modules`, as far as nothing is there: for types, not for what runs. */
export async function linkPlatform(folder: string): Promise<void> {
  for (const [name, source] of Object.entries(wanted)) {
    const target = join(platform, source);
    const link = join(folder, 'node_modules', name);
    if (!existsSync(target) || existsSync(link)) continue;
    await mkdir(dirname(link), { recursive: true });
    // One that leads nowhere any more.
    if (await lstat(link).catch(() => undefined)) await rm(link, { force: true });
    await symlink(target, link);
  }
}
