import type { Command, Option } from 'commander';
import { commandBelow } from './command-path.js';
import { InputArgument } from './flags.js';

/** A text for a shell has these; a program's name has not. */
const shellText = /[\s;&|<>$`()'"*?]/;

/**
 * Puts `--` before the words of a command that takes all that follow, as `node exec 7 ls -l`, so that their flags are not
 * ours. Our own flags may stand before the words, or behind a single text for a shell.
 */
export function guardWords(program: Command, argv: readonly string[]): string[] {
  const guarded = [...argv];
  const first = firstWord(program, argv);
  if (first === undefined) return guarded;
  const { command, at } = first;
  const isText = shellText.test(argv[at] ?? '') && areOurFlags(command, argv.slice(at + 1));
  if (!isText) guarded.splice(at, 0, '--');
  return guarded;
}

/** Finds the first word for a last argument that takes all words; undefined if there is none, or it stands behind a `--`. */
function firstWord(program: Command, argv: readonly string[]): { command: Command; at: number } | undefined {
  let command = program;
  let given = 0;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return undefined;
    if (isFlag(word)) {
      at += valuesAfter(optionOf(command, word), word, argv[at + 1]);
      continue;
    }
    const below = given === 0 ? commandBelow(command, word) : undefined;
    if (below) {
      command = below;
    } else {
      const argument = command.registeredArguments[given];
      if (argument instanceof InputArgument && argument.variadic) return { command, at };
      given += 1;
    }
  }
  return undefined;
}

/** Whether flags of the platform are all that follows. */
function areOurFlags(command: Command, rest: readonly string[]): boolean {
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? '';
    const option = isFlag(word) ? optionOf(command, word) : undefined;
    if (option === undefined) return false;
    at += valuesAfter(option, word, rest[at + 1]);
  }
  return true;
}

function isFlag(word: string): boolean {
  return word.startsWith('-') && word !== '-';
}

/** A flag of this command or of one above, other than `--help` and `--version`. */
function optionOf(command: Command, word: string): Option | undefined {
  const [name] = word.split('=', 1);
  for (let above: Command | null = command; above; above = above.parent) {
    const found = above.options.find(({ long, short }) => long === name || short === name);
    if (found) return found.long === '--version' ? undefined : found;
  }
  return undefined;
}

/** Counts the words after a flag that are its value. */
function valuesAfter(option: Option | undefined, word: string, next: string | undefined): number {
  if (option === undefined || next === undefined || word.includes('=')) return 0;
  return option.required || (option.optional && !isFlag(next)) ? 1 : 0;
}
