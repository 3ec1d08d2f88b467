import { isFailure } from '../../kernel/contract/failure.js';
import { quotedPaths } from '../../kernel/platform/bundles/junk-files.js';
import type { Bundle } from '../../kernel/platform/bundles/reader.js';
import { harmless, type Terminal } from '../terminal.js';

/** The same, with each fault of a manifest or a front matter told in a line of its own before it fails. */
export async function told<T>(work: Promise<T>, terminal: Terminal): Promise<T> {
  try {
    return await work;
  } catch (fault) {
    tell([fault], terminal);
    throw fault;
  }
}

/** Writes what is wrong to standard error, a line for each fault; the sentence of the first is left to who fails with it. */
export function tell(faults: readonly unknown[], { stderr }: Terminal): void {
  for (const [index, fault] of faults.entries()) {
    if (!isFailure(fault)) continue;
    const lines = fault.details?.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    for (const line of lines ?? (index === 0 ? [] : [fault.message]))
      stderr.write(`${fault.code}: ${harmless(line).replaceAll('\n', ' ')}\n`);
  }
}

/** Writes to standard error what is no fault of a bundle, but most likely not meant. */
export function warn({ warnings, left_out }: Pick<Bundle, 'warnings' | 'left_out'>, { stderr }: Terminal): void {
  for (const warning of warnings) stderr.write(`warning: ${harmless(warning)}\n`);
  if (left_out.length > 0)
    stderr.write(`warning: programs left these files behind, and they are left out: ${harmless(quotedPaths(left_out))}\n`);
}
