import { setFlagsFromString } from 'node:v8';

const major = Number.parseInt(process.versions.node, 10);

/**
 * Disables Maglev, V8's mid-tier compiler. On Node 24 and 25 its threads occasionally crash the process with SIGSEGV on busy machines
 * (nodejs/node#64841: 24.15 and later, not 26). Node 20 doesn't use it.
 */
export const compilerFlags: readonly string[] = major === 24 || major === 25 ? ['--no-maglev'] : [];

/** Disables Maglev for all code that this process compiles from now on. */
export function avoidCompilerCrash(): void {
  for (const flag of compilerFlags) setFlagsFromString(flag);
}
