import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** Number of descriptors of a plugin's process itself: standard input, output and error, and the pipe. */
const own_descriptors = 4;
/** O_CLOEXEC on Linux. */
const closes_on_exec = 0o2000000;

/**
 * Lists the file descriptors that a child process would inherit. Node opens its own with close-on-exec, and at its start
 * handles those up to 15; others come from the program that started the platform. Empty without /proc.
 */
export function inheritedDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd')
      .map(Number)
      .filter((descriptor) => descriptor >= own_descriptors && isInherited(descriptor));
  } catch {
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8')) ?? [];
    return flags !== '' && (Number.parseInt(flags, 8) & closes_on_exec) === 0;
  } catch {
    // This was the descriptor of the listing itself.
    return false;
  }
}

/** Closes inherited descriptors in the child; ignores those that the programs of the walls have already closed. */
export function closeInherited(descriptors: readonly number[]): void {
  for (const descriptor of descriptors) {
    try {
      closeSync(descriptor);
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EBADF') throw fault;
    }
  }
}
