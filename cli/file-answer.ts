import type { FileAnswer } from '../kernel/contract/operation.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { type Destination, destinationOf, writeTo } from './file-destination.js';
import type { Terminal } from './terminal.js';

/** Finds out where a file that is asked for goes: to `--out`, or to standard output unless that is a terminal. */
export async function answerDestination(out: string | undefined, { stdout }: Terminal): Promise<Destination> {
  if (out === undefined && stdout.isTTY) throw new UsageError('The answer is a file', 'say where it goes: --out <path>');
  return destinationOf(out ?? '-');
}

export async function save({ bytes }: FileAnswer, destination: Destination, { terminal, signal }: Context): Promise<void> {
  await writeTo(destination, { terminal, signal }, (sink) => sink.write(bytes));
}
