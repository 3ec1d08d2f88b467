import { setFlagsFromString } from 'node:v8';

const major = Number.parseInt(process.versions.node, 10);

/**
 * V8's middle compiler, Maglev, works on threads of its own, and on Node 24 and 25 it ends the process with SIGSEGV now and then
 * where the processors are busy (nodejs/node#64841: 24.15 and later, not 26). Node 20 has none and does not miss it.
 */
export const compilerFlags: readonly string[] = major === 24 || major === 25 ? ['--no-maglev'] : [];

/** Switches that compiler off, for all code that this process compiles from now on. */
export function avoidCompilerCrash(): void {
  for (const flag of compilerFlags) setFlagsFromString(flag);
}
