import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Starts a program of this folder in a process of its own. `flags` are Node's; default: those of this process. */
export function forked(file: string, args: readonly string[] = [], flags: readonly string[] = process.execArgv): ChildProcess {
  const own = new URL('./own-process.js', import.meta.url).href;
  return fork(fileURLToPath(new URL(file, import.meta.url)), [...args], { execArgv: [...flags, `--import=${own}`] });
}
