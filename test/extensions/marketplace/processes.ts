import { readFileSync } from 'node:fs';

/** The processes that this one has started and that still are, with those that they have started. */
export function ownIds(pid: number | string = process.pid): string[] {
  const started = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return started.flatMap((child) => {
    try {
      return [child, ...ownIds(child)];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}
