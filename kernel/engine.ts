import { setFlagsFromString } from 'node:v8';

const major = Number.parseInt(process.versions.node, 10);

/**
 * V8's middle compiler, Maglev, works on threads of its own, and on Node 24 and 25 it ends the process with SIGSEGV now and then
 * where the processors are busy (nodejs/node#64841: 24.15 and later, not 26). Node 20 has none and does not miss it.
 */
export const compilerFlags: readonly string[] = major === 24 || major === 25 ? ['--no-maglev'] : [];

/**
 * What keeps collections short and few where thousands of pieces a second pass through.
 *
 * - Where V8 sees what code allocates survive, it has that code allocate among what is old from then on. It sees it while streams wait for
 *   their next piece; then each piece goes there, where only a collection of everything finds that it is garbage. Without: a third is
 *   promoted.
 * - A collection of everything comes when what is old has grown to three times what the last one left. V8 itself chooses between 1.1 and 4
 *   times, and after a quiet time chooses so low that under a sudden load one follows the other, twelve a second.
 */
const memoryFlags: readonly string[] = ['--no-allocation-site-pretenuring', '--heap-growing-percent=200'];

/** For what this process compiles and allocates from now on. */
export function setEngine(): void {
  for (const flag of [...compilerFlags, ...memoryFlags]) setFlagsFromString(flag);
}
