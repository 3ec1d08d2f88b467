import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.js', import.meta.url));
/** The loopback, the mounts and the processes are its own, and go with it; it goes with whoever started it. */
const walls = ['--pdeathsig=KILL', 'unshare', '--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child'];
const script = 'ip link set lo up && exec "$0" "$@"';

/** Starts `main.ts` where what it breaks is nobody else's. What it prints is on `stdout`. */
export function startInNamespace(args: readonly string[]): ChildProcess {
  const inside = ['sh', '-c', script, process.execPath, '--enable-source-maps', main, ...args];
  return spawn('setpriv', [...walls, ...inside], { stdio: ['ignore', 'pipe', 'inherit'] });
}
