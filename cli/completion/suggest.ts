import type { Argument, Command, Option } from 'commander';
import { commandBelow } from '../command-path.js';
import { InputArgument, InputOption } from '../flags.js';

/** What could come next on a command line. */
export interface Suggestions {
  found: readonly Suggestion[];
  /** Whether names of files fit too. */
  files: boolean;
}

export interface Suggestion {
  value: string;
  about: string;
}

/** Where a command line has come to. */
export interface Place {
  command: Command;
  /** Words without a flag since the command's name. */
  given: readonly string[];
  /** The flag whose value comes next. */
  awaited: Option | undefined;
  /** Values of flags that every command has, by their names. */
  flags: Readonly<Record<string, string>>;
}

/** Follows the words that stand before the one that is being written. */
export function placeAfter(program: Command, words: readonly string[]): Place {
  let command = program;
  let given: string[] = [];
  let awaited: Option | undefined;
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (awaited !== undefined && !(awaited.optional && word.startsWith('-'))) {
      flags[awaited.attributeName()] = word;
      awaited = undefined;
      continue;
    }
    awaited = undefined;
    if (word.startsWith('-') && word !== '-') {
      const [name, value] = splitFlag(word);
      const option = optionsOf(command).find((one) => one.long === name || one.short === name);
      if (value !== undefined && option) flags[option.attributeName()] = value;
      else if (option && (option.required || option.optional)) awaited = option;
      continue;
    }
    const below = commandBelow(command, word);
    if (below && given.length === 0) [command, given] = [below, []];
    else given.push(word);
  }
  return { command, given, awaited, flags };
}

/** What fits at a place and begins with what is written already. */
export function suggest(place: Place, current: string): Suggestions {
  const { command, given, awaited } = place;
  if (awaited !== undefined && !(awaited.optional && current !== '' && current.startsWith('-'))) {
    const values = fitting(valuesOf(awaited), current);
    if (!awaited.optional) return values;
  }
  const [name, value] = splitFlag(current);
  if (current.startsWith('-') && value !== undefined) {
    const option = optionsOf(command).find((one) => one.long === name);
    const { found, files } = option ? fitting(valuesOf(option), value) : none;
    return { found: found.map((one) => ({ ...one, value: `${name}=${one.value}` })), files };
  }
  if (current.startsWith('-')) return fitting({ found: flagsAt(command), files: false }, current);
  const argument = command.registeredArguments[given.length] ?? command.registeredArguments.findLast(({ variadic }) => variadic);
  const { found, files } = argument ? valuesOf(argument) : none;
  return fitting({ found: [...(given.length === 0 ? commandsBelow(command) : []), ...found], files }, current);
}

const none: Suggestions = { found: [], files: false };

function fitting({ found, files }: Suggestions, current: string): Suggestions {
  return { found: found.filter(({ value }) => value.startsWith(current)), files };
}

function commandsBelow(command: Command): Suggestion[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), about: one.description() }));
}

function flagsAt(command: Command): Suggestion[] {
  const help = command.createHelp();
  const own = help.visibleOptions(command);
  const all = [...own, ...optionsOf(command).filter((option) => !option.hidden && !own.includes(option))];
  return all.flatMap(({ long, description }) => (long ? [{ value: long, about: description }] : []));
}

/** A command's own, and those of all above it. */
function optionsOf(command: Command): readonly Option[] {
  return command.parent === null ? command.options : [...command.options, ...optionsOf(command.parent)];
}

/** Those that it can have by its schema; of the program's own, files where its name says so. */
function valuesOf(input: Option | Argument): Suggestions {
  const isInput = input instanceof InputOption || input instanceof InputArgument;
  const values = isInput ? input.values : (input.argChoices ?? []);
  const name = 'flags' in input ? (/[<[](.+)[>\]]/.exec(input.flags)?.[1] ?? '') : input.name();
  const files = !isInput && values.length === 0 && /^(file|folder|path)$/.test(name);
  return { found: values.map((value) => ({ value, about: '' })), files };
}

function splitFlag(word: string): [string, string?] {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
