import { readFileSync } from 'node:fs';

/** The processes of plugins that this process has started, as this machine counts them. */
export function pluginProcesses(parent: number = process.pid): number[] {
  return childrenOf(parent).flatMap((pid) => [
    ...(commandOf(pid).includes('/kernel/platform/sandbox/child.js') ? [pid] : []),
    ...pluginProcesses(pid),
  ]);
}

function childrenOf(pid: number): number[] {
  const found = read(`/proc/${pid}/task/${pid}/children`).trim();
  return found === '' ? [] : found.split(' ').map(Number);
}

/** Empty for who waits for the process and names its program too. */
function commandOf(pid: number): string {
  const [program = '', ...rest] = read(`/proc/${pid}/cmdline`).split('\0');
  return program.endsWith('/node') ? rest.join(' ') : '';
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
