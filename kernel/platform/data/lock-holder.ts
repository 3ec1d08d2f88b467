import { readFile, stat } from 'node:fs/promises';
import { type RunningProcess, runningProcess } from '../process/running-process.js';

/**
 * Returns the process with a write lock on a file, or on one byte of it, as Linux reports it. Undefined if there is none, if it is this
 * process, or if the system doesn't tell (other systems than Linux, processes of another container).
 */
export async function lockHolder(file: string, byte?: number): Promise<RunningProcess | undefined> {
  try {
    const { dev, ino } = await stat(file);
    const inode = `${deviceName(dev)}:${ino}`;
    const locks = (await readFile('/proc/locks', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
    const found = locks.find(([, , , kind, pid, on, from, to]) => {
      if (kind !== 'WRITE' || on !== inode || Number(pid) === process.pid) return false;
      return byte === undefined || (Number(from) <= byte && (to === 'EOF' || byte <= Number(to)));
    });
    return found && (await runningProcess(Number(found[4])));
  } catch {
    return undefined;
  }
}

/** Returns a device as `/proc/locks` names it. A minor number above 255 has its upper bits before the major one (glibc's `gnu_dev_minor`). */
export function deviceName(dev: number): string {
  const major = (dev >>> 8) & 0xfff;
  const minor = (dev & 0xff) | ((dev >>> 12) & 0xfff00);
  return `${hex(major)}:${hex(minor)}`;
}

function hex(number: number): string {
  return number.toString(16).padStart(2, '0');
}
