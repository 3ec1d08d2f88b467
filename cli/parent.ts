import { readFileSync } from 'node:fs';

const every_ms = 500;

/**
 * Started through npx or an npm script, a server must not outlive it: npm passes on no SIGTERM. Between
 * the two stands a shell, which may outlive npm too, so it is looked past.
 *
 * @returns ends the watch.
 */
export function watchParent(env: Readonly<Record<string, string | undefined>>, ended: () => void): () => void {
  if (env.npm_command === undefined && env.npm_lifecycle_event === undefined) return () => undefined;
  const before = ancestors();
  const timer = setInterval(() => {
    if (ancestors() === before) return;
    clearInterval(timer);
    ended();
  }, every_ms).unref();
  return () => clearInterval(timer);
}

/** The parent, and where that is a shell, its parent too. */
function ancestors(): string {
  const parent = process.ppid;
  const { name, parent: above } = processOf(parent);
  return /^(ba|da|z|k)?sh$/.test(name) ? `${parent} ${above}` : String(parent);
}

/** Linux tells by /proc (proc_pid_stat(5)); elsewhere only the parent is known. */
function processOf(pid: number): { name: string; parent: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = stat.lastIndexOf(')');
    return { name: stat.slice(stat.indexOf('(') + 1, end), parent: stat.slice(end + 2).split(' ')[1] ?? '' };
  } catch {
    return { name: '', parent: '' };
  }
}
