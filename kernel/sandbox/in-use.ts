import { lstatSync } from 'node:fs';

/** Whether what a process of this number has made may still be in use; false where that process is gone, or was an earlier one. */
export function isInUse(path: string, pid: number): boolean {
  // What bears this process's number and is older is that of an earlier one.
  if (pid === process.pid) return lstatSync(path).mtimeMs >= Date.now() - process.uptime() * 1_000;
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
}
