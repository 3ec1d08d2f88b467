import { readdirSync, readFileSync } from 'node:fs';

/** Standard input, output and error, and the pipe: a plugin's process has these, and others in the place of this process's. */
const own_descriptors = 4;
/** O_CLOEXEC, as Linux writes it. */
const closes_on_exec = 0o2000000;

/**
 * The file descriptors of this process that a program would get which it starts. Node opens its own so that none does, and at its start
 * sees to those up to 15; others come from whatever has started the platform. None are known where there is no /proc.
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
    // It was the one by which they are listed.
    return false;
  }
}
