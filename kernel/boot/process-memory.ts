import { readFileSync } from 'node:fs';

/** Programs may stand between the one that was started and the one that does the work. */
const most_depth = 8;

/** What a process and those that it has started hold in memory, in MB with one decimal; null where the system doesn't tell. */
export function memoryOf(pid: number | undefined): number | null {
  try {
    return pid === undefined ? null : Math.round(kilobytesOf(pid, 0) / 102.4) / 10;
  } catch {
    return null;
  }
}

function kilobytesOf(pid: number, depth: number): number {
  const [, own = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  if (depth === most_depth) return Number(own);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + kilobytesOf(Number(child), depth + 1), Number(own));
}
