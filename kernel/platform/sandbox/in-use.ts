import { randomBytes } from 'node:crypto';

/** Unique mark of this run, for names of its temporary files; PIDs are recycled. */
export const run_mark = randomBytes(6).toString('hex');

/** Returns whether a temporary file of a process may be in use; false if the process is gone, or was an earlier one with the same PID. */
export function isInUse(name: string, pid: number): boolean {
  if (pid === process.pid) return name.includes(`-${run_mark}`);
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
