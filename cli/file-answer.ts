import { writeFile } from 'node:fs/promises';
import type { FileAnswer } from '../kernel/contract/operation.js';
import { UsageError } from './exit.js';
import type { Terminal } from './terminal.js';

/** Writes a file that was asked for: to a path, or on, where the output isn't a terminal. */
export async function save({ mime_type, bytes }: FileAnswer, path: string | undefined, { stdout }: Terminal): Promise<void> {
  if (path !== undefined) return writeFile(path, bytes);
  if (stdout.isTTY) throw new UsageError(`The answer is a file (${mime_type})`, 'say where it goes: --out <path>');
  stdout.write(bytes);
}
