import type { FileAnswer } from '../kernel/contract/operation.js';
import type { Context } from './command.js';
import { UsageError } from './exit.js';
import { type Destination, destinationOf, writeTo } from './file-destination.js';
import type { Terminal } from './terminal.js';

/** Resolves where to write a downloaded file: `--out`, or standard output unless that is a terminal. */
export async function answerDestination(out: string | undefined, terminal: Terminal): Promise<Destination> {
  const destination = await destinationOf(out ?? '-');
  assertNotOnScreen(destination, terminal, "The response is a file, which a terminal can't show");
  return destination;
}

/** Fails if the bytes of a file would be written to a terminal. */
export function assertNotOnScreen({ kind }: Destination, { stdout }: Terminal, sentence: string): void {
  if (kind === 'output' && stdout.isTTY) throw new UsageError(sentence, 'write it to a file with: --out <path>');
}

export async function save({ bytes }: FileAnswer, destination: Destination, { terminal, signal }: Context): Promise<void> {
  await writeTo(destination, { terminal, signal }, (sink) => sink.write(bytes));
}
