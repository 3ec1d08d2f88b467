import { getHeapStatistics, setFlagsFromString } from 'node:v8';

const major = Number.parseInt(process.versions.node, 10);

/**
 * V8's middle compiler, Maglev, works on threads of its own, and on Node 24 and 25 it ends the process with SIGSEGV now and then
 * where the processors are busy (nodejs/node#64841: 24.15 and later, not 26). Node 20 has none and does not miss it.
 */
export const compilerFlags: readonly string[] = major === 24 || major === 25 ? ['--no-maglev'] : [];

/**
 * Where V8 sees what code allocates survive, it has that code allocate among what is old from then on. It sees it while streams wait for
 * their next piece; then what each piece needs goes there, where only a collection of everything finds that it is garbage. With this off,
 * a third as much is promoted.
 */
const allocation = '--no-allocation-site-pretenuring';

/**
 * A collection of everything comes when what is old has grown to three times what the last one left, or half way to the heap's maximum.
 * V8 itself chooses between 1.1 and 4 times, and after a quiet time so low that under a sudden load one follows the other, twelve a second.
 */
const growth = '--heap-growing-percent=200';
/** Where the heap may not have as much, in bytes, memory is short, and V8's own choice is smaller for good reason. */
const roomy = 2 ** 31;

/** For what this process compiles and allocates from now on. A growth that its command line names stays. */
export function setV8Flags(): void {
  const isRoomy = getHeapStatistics().heap_size_limit >= roomy;
  const isChosen = process.execArgv.some((flag) => /^--heap[-_]growing[-_]percent\b/.test(flag));
  for (const flag of [...compilerFlags, allocation, ...(isRoomy && !isChosen ? [growth] : [])]) setFlagsFromString(flag);
}
