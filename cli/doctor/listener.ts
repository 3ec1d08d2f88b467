import { readdir, readFile, readlink } from 'node:fs/promises';
import { type RunningProcess, runningProcess } from '../../kernel/platform/process/running-process.js';

/** State of a listening socket in /proc/net/tcp (proc(5)). */
const listening = '0A';

/** Finds the process that listens on a TCP port. Undefined if Linux doesn't reveal it, such as another user's process. */
export async function listenerOn(port: number): Promise<RunningProcess | undefined> {
  const sockets = new Set((await Promise.all(['tcp', 'tcp6'].map((table) => socketsOn(port, table)))).flat());
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
      if (sockets.has(target)) return runningProcess(Number(pid)).catch(() => undefined);
    }
  }
  return undefined;
}

async function socketsOn(port: number, table: string): Promise<string[]> {
  const text = await readFile(`/proc/net/${table}`, 'utf8').catch(() => '');
  const rows = text.split('\n').map((line) => line.trim().split(/\s+/));
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return rows.flatMap(([, local, , state, , , , , , inode]) =>
    state === listening && local?.split(':')[1] === wanted ? [`socket:[${inode}]`] : [],
  );
}
