import { statfs } from 'node:fs/promises';
import type { CheckResult } from '../../contract/extension.js';
import { shellWord } from '../../contract/shell-word.js';
import { floorOf, spaceOf } from '../files/disk-floor.js';

/** Checks that the disk of a folder has free space and files; `min_free_bytes` is the setting, empty if it is not set. */
export async function diskRoom(folder: string, min_free_bytes?: number | ''): Promise<CheckResult> {
  const space = spaceOf(await statfs(folder));
  const { bytes, free, files, free_files } = space;
  const floor = floorOf(space, min_free_bytes);
  const state = `The disk of ${folder} has ${amount(free)} of ${amount(bytes)} left`;
  if (free < floor) {
    const message = `${state}, less than ${amount(floor)} (PLATFORM_MIN_FREE_BYTES): nothing over 64 KiB is accepted`;
    return { ok: false, message, fix: fixFor(folder) };
  }
  // File systems without a file limit report 0.
  if (files > 0 && free_files < files * 0.01)
    return { ok: false, message: `${state}, but can store only ${free_files} more files`, fix: fixFor(folder) };
  return { ok: true, message: state };
}

function fixFor(folder: string): string {
  return `see what uses the space with: du -xhd2 ${shellWord(folder)} | sort -h; delete old backups with: platform call backups.list, and backups.delete`;
}

function amount(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log2(Math.max(bytes, 1)) / 10)));
  return `${Math.round((bytes / 1024 ** power) * 10) / 10} ${units[power]}`;
}
