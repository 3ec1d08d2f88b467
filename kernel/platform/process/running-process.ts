import { readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** A process of this machine. */
export interface RunningProcess {
  pid: number;
  /** Name of the program. */
  name: string;
  /** Start time, ISO 8601. */
  since: string;
}

/** Reads Linux's record of a process. Fails if there is none, and on other systems. */
export async function runningProcess(pid: number): Promise<RunningProcess> {
  const [line, uptime] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/uptime', 'utf8')]);
  // proc(5): field 22 is the start in ticks (100 per second on all Linux systems) since the machine's start.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const begun = Date.now() - Number.parseFloat(uptime) * 1000 + Number(fields[19]) * 10;
  // Falls back to the name of the main thread if the program is hidden; Node 24 names it `MainThread`.
  const thread = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
  const name = await readlink(`/proc/${pid}/exe`).then(basename, () => thread);
  return { pid, name, since: new Date(begun).toISOString() };
}
