import type { Command, Option } from 'commander';
import { commandBelow } from './command-path.js';
import { InputArgument } from './flags.js';

/** Characters of a shell command that a program's name doesn't have. */
const shellText = /[\s;&|<>$`()'"*?]/;

/**
 * Inserts `--` before the words of a command that takes all following words, as `node exec 7 ls -l`, so that commander doesn't
 * parse their flags. Our own flags may stand before the words, or after a single shell command in quotes.
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

/**
 * Writes `help member list` as `member list --help`, and removes `--help` from a command line with an unknown command: commander would
 * show the help of the parent and succeed.
 */
export function exactHelp(program: Command, argv: readonly string[]): string[] {
  let command = program;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--' || command.registeredArguments.length > 0 || command.commands.length === 0) break;
    if (isFlag(word)) {
      at += valuesAfter(optionOf(command, word), word, argv[at + 1]);
      continue;
    }
    const below = commandBelow(command, word);
    const isHelp = word === 'help' && below === undefined;
    if (isHelp && at + 1 < argv.length) return exactHelp(program, [...argv.slice(0, at), ...argv.slice(at + 1), '--help']);
    if (isHelp) break;
    if (below === undefined) return argv.filter((one) => one !== '--help' && one !== '-h');
    command = below;
  }
  return [...argv];
}

/** Finds the first word of a variadic argument; undefined if there is none, or if it follows a `--`. */
function firstWord(program: Command, argv: readonly string[]): { command: Command; at: number } | undefined {
  let command = program;
  let positional = 0;
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return undefined;
    if (isFlag(word)) {
      at += valuesAfter(optionOf(command, word), word, argv[at + 1]);
      continue;
    }
    const below = positional === 0 ? commandBelow(command, word) : undefined;
    if (below) {
      command = below;
    } else {
      const argument = command.registeredArguments[positional];
      if (argument instanceof InputArgument && argument.variadic) return { command, at };
      positional += 1;
    }
  }
  return undefined;
}

/** Returns whether all following words are flags of the platform. */
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

/** Finds a flag of this command or its parents, other than `--help` and `--version`. */
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
