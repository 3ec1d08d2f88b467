import { setFlagsFromString } from 'node:v8';

const major = Number.parseInt(process.versions.node, 10);

/**
 * V8's middle compiler, Maglev, works on threads of its own, and on Node 24 and 25 it ends the process with SIGSEGV now and then
 * where the processors are busy (nodejs/node#64841: 24.15 and later, not 26). Node 20 has none and does not miss it.
 */
export const compilerFlags: readonly string[] = major === 24 || major === 25 ? ['--no-maglev'] : [];

/**
 * Where V8 sees what code allocates survive, it has that code allocate among what is old from then on. It sees it while replies wait for
 * their next piece, and then each of the thousands of pieces a second goes there, where only a collection of everything finds that it is
 * garbage: three times as much is promoted, and the collections make the slowest pieces late.
 */
const memoryFlags: readonly string[] = ['--no-allocation-site-pretenuring'];

/** For what this process compiles and allocates from now on. */
export function setEngine(): void {
  for (const flag of [...compilerFlags, ...memoryFlags]) setFlagsFromString(flag);
}
