import { statfs } from 'node:fs/promises';
import type { CheckResult } from '../contract/extension.js';
import { shellWord } from '../shell-word.js';

/** Below this share of a disk, and below this many bytes of a large one, it is nearly full. */
const least_share = 0.05;
const least_bytes = 1024 ** 3;

/** Whether the disk of a folder has room for what is written there. */
export async function diskRoom(folder: string): Promise<CheckResult> {
  const { bsize, blocks, bavail, files, ffree } = await statfs(folder);
  const [size, free] = [blocks * bsize, bavail * bsize];
  const told = `The disk of ${folder} has ${amount(free)} of ${amount(size)} left`;
  if (free < Math.min(size * least_share, least_bytes)) return { ok: false, message: told, fix: clearing(folder) };
  // File systems that count no files say 0.
  if (files > 0 && ffree < files * 0.01)
    return { ok: false, message: `${told}, but room for only ${ffree} more files`, fix: clearing(folder) };
  return { ok: true, message: told };
}

function clearing(folder: string): string {
  return `see what takes the room with: du -xhd2 ${shellWord(folder)} | sort -h; old backups go with: platform call backups.list, and backups.delete`;
}

function amount(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power]}`;
}
