import type { Command } from 'commander';
import type { JsonSchema } from '../kernel/contract/schema.js';
import { askSecret, canAsk, readAll } from './ask.js';
import { UsageError } from './exit.js';
import { dashed, type Leaf, words } from './flags.js';
import type { Terminal } from './terminal.js';

/**
 * The secrets of an input: a line each of standard input for those with `--…-stdin`; the others are asked
 * for without echo. They never stand in a flag, where every process could read them.
 */
export async function readSecrets(command: Command, leaf: Leaf, terminal: Terminal): Promise<Record<string, string>> {
  const keys = leaf.hint?.secrets ?? [];
  const piped = keys.filter((key) => command.opts()[attribute(key)] === true);
  const lines = piped.length > 0 ? (await readAll(terminal)).split(/\r?\n/) : [];
  const found: Record<string, string> = Object.fromEntries(piped.map((key, index) => [key, lines[index] ?? '']));
  for (const key of keys.filter((one) => !piped.includes(one))) {
    const secret = await askFor(key, leaf, terminal);
    if (secret !== '') found[key] = secret;
  }
  return found;
}

async function askFor(key: string, leaf: Leaf, terminal: Terminal): Promise<string> {
  const required = (leaf.operation.input as JsonSchema).required?.includes(key) === true;
  if (canAsk(terminal)) return askSecret(`${capital(words(key))}${required ? '' : ' (empty for none)'}: `, terminal);
  if (!required) return '';
  throw new UsageError(`The ${words(key)} is needed`, `pipe it in with --${dashed(key)}-stdin`);
}

function attribute(key: string): string {
  return `${key}_stdin`.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
