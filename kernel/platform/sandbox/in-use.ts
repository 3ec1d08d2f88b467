import { randomBytes } from 'node:crypto';

/** Of this run of the process, in the names of what it makes for as long as it runs: its number is used again by later ones. */
export const run_mark = randomBytes(6).toString('hex');

/** Whether what a process of this number has named so may still be in use; false where that process is gone, or was an earlier one. */
export function isInUse(name: string, pid: number): boolean {
  if (pid === process.pid) return name.includes(`-${run_mark}`);
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
