import { readFileSync } from 'node:fs';

const tick_us = 10_000;

/** Processor time of a process so far in microseconds, as Linux counts it: in ticks of 10 ms. */
export function cpuTime(pid: number): number {
  return sumOf(pid, [11, 12]);
}

/** The same with the time of processes that it started and that have ended, such as those that make thumbnails. */
export function cpuTimeOfTree(pid: number): number {
  return sumOf(pid, [11, 12, 13, 14]);
}

/** Sums fields of `/proc/<pid>/stat` (proc(5)): utime, stime, cutime and cstime follow the name. */
function sumOf(pid: number, positions: readonly number[]): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return positions.reduce((sum, position) => sum + Number(fields[position]), 0) * tick_us;
}
