import { isFailure } from '../../kernel/contract/failure.js';
import { quotedPaths } from '../../kernel/platform/bundles/junk-files.js';
import type { Bundle } from '../../kernel/platform/bundles/reader.js';
import { harmless, type Terminal } from '../terminal.js';

/** Awaits the work; writes each fault of a manifest or a front matter on its own line before failing. */
export async function reportingFaults<T>(work: Promise<T>, terminal: Terminal): Promise<T> {
  try {
    return await work;
  } catch (fault) {
    writeFaults([fault], terminal);
    throw fault;
  }
}

/** Writes faults to standard error, a line each, except the message of the first: the caller fails with it. */
export function writeFaults(faults: readonly unknown[], { stderr }: Terminal): void {
  for (const [index, fault] of faults.entries()) {
    if (!isFailure(fault)) continue;
    const lines = fault.details?.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    for (const line of lines ?? (index === 0 ? [] : [fault.message]))
      stderr.write(`${fault.code}: ${harmless(line).replaceAll('\n', ' ')}\n`);
  }
}

/** Writes warnings to standard error: not faults of a bundle, but probably unintended. */
export function writeWarnings({ warnings, left_out }: Pick<Bundle, 'warnings' | 'left_out'>, { stderr }: Terminal): void {
  for (const warning of warnings) stderr.write(`warning: ${harmless(warning)}\n`);
  if (left_out.length > 0)
    stderr.write(`warning: these files look like leftovers of other programs and are not packed: ${harmless(quotedPaths(left_out))}\n`);
}
