import { readFile, readlink } from 'node:fs/promises';
import { basename } from 'node:path';

/** A process of this machine. */
export interface RunningProcess {
  pid: number;
  /** The program. */
  name: string;
  /** When it began, ISO 8601. */
  since: string;
}

/** Reads Linux's record of a process. Fails if there is none, and on other systems. */
export async function runningProcess(pid: number): Promise<RunningProcess> {
  const [line, uptime] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/uptime', 'utf8')]);
  // proc(5): the start is the 22nd field, in ticks (100 a second on all of Linux's systems) since the machine's own.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const begun = Date.now() - Number.parseFloat(uptime) * 1000 + Number(fields[19]) * 10;
  // The name of its main thread if its program is hidden: Node 24 names that `MainThread`.
  const thread = line.slice(line.indexOf('(') + 1, line.lastIndexOf(')'));
  const name = await readlink(`/proc/${pid}/exe`).then(basename, () => thread);
  return { pid, name, since: new Date(begun).toISOString() };
}
