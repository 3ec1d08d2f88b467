import { lstatSync, mkdirSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isInUse } from '../in-use.js';

/** The folder of views, without those that a killed process has left. */
export function openViews(data_dir: string): string {
  const folder = join(data_dir, 'views');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder)) if (!isInUse(name, Number.parseInt(name, 10))) clear(join(folder, name));
  return folder;
}

/** Empty files and folders only, and nothing of another file system: a view holds nothing of its own but places to mount at. */
function clear(path: string, device?: number): void {
  try {
    const found = lstatSync(path);
    if (device !== undefined && found.dev !== device) return;
    if (!found.isDirectory()) {
      if (found.size === 0 || path.endsWith('.mounts')) unlinkSync(path);
      return;
    }
    for (const name of readdirSync(path)) clear(join(path, name), found.dev);
    rmdirSync(path);
  } catch {
    // It is cleared by another process, or another time.
  }
}
