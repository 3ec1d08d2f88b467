import type { Argument, Command, Option } from 'commander';
import type { ReferenceKind } from '../../kernel/contract/manifest.js';
import { commandBelow } from '../command-path.js';
import { InputArgument, InputOption } from '../flags.js';

/** Completions for the next word of a command line. */
export interface Suggestions {
  found: readonly Suggestion[];
  /** Whether file names fit too. */
  files: boolean;
  /** The names of these records fit too. */
  names?: RecordNames | undefined;
}

/** The beginning of a record's name, and the text of the word before it: `--room=La`. */
export interface RecordNames {
  kind: ReferenceKind;
  typed: string;
  before: string;
}

export interface Suggestion {
  value: string;
  about: string;
}

/** State of a command line after the words typed so far. */
export interface ParsedWords {
  command: Command;
  /** Positional words since the command's name. */
  positional: readonly string[];
  /** The flag that expects a value next. */
  awaitingValue: Option | undefined;
  /** Values of the flags typed so far, by attribute name. */
  flags: Readonly<Record<string, string>>;
}

/** Parses the words before the one being typed. */
export function parseWords(program: Command, words: readonly string[]): ParsedWords {
  let command = program;
  let positional: string[] = [];
  let awaitingValue: Option | undefined;
  const flags: Record<string, string> = {};
  for (const word of words) {
    if (awaitingValue !== undefined && !(awaitingValue.optional && word.startsWith('-'))) {
      flags[awaitingValue.attributeName()] = word;
      awaitingValue = undefined;
      continue;
    }
    awaitingValue = undefined;
    if (word.startsWith('-') && word !== '-') {
      const [name, value] = splitFlag(word);
      const option = optionsOf(command).find((one) => one.long === name || one.short === name);
      if (value !== undefined && option) flags[option.attributeName()] = value;
      else if (option && (option.required || option.optional)) awaitingValue = option;
      continue;
    }
    const below = commandBelow(command, word);
    if (below && positional.length === 0) [command, positional] = [below, []];
    else positional.push(word);
  }
  return { command, positional, awaitingValue, flags };
}

/** Returns completions that begin with the current word. */
export function suggest(parsed: ParsedWords, current: string): Suggestions {
  const { command, positional, awaitingValue } = parsed;
  if (awaitingValue !== undefined && !(awaitingValue.optional && current !== '' && current.startsWith('-'))) {
    const values = fitting(valuesOf(awaitingValue), current);
    if (!awaitingValue.optional) return values;
  }
  const [name, value] = splitFlag(current);
  if (current.startsWith('-') && value !== undefined) {
    const option = optionsOf(command).find((one) => one.long === name);
    const { found, files, names } = option ? fitting(valuesOf(option), value) : none;
    const before = `${name}=`;
    return { found: found.map((one) => ({ ...one, value: `${before}${one.value}` })), files, names: names && { ...names, before } };
  }
  if (current.startsWith('-')) return fitting({ found: flagsAt(command), files: false }, current);
  const argument = command.registeredArguments[positional.length] ?? command.registeredArguments.findLast(({ variadic }) => variadic);
  const { found, ...others } = argument ? valuesOf(argument) : none;
  return fitting({ found: [...(positional.length === 0 ? commandsBelow(command) : []), ...found], ...others }, current);
}

const none: Suggestions = { found: [], files: false };

function fitting({ found, files, names }: Suggestions, current: string): Suggestions {
  return { found: found.filter(({ value }) => value.startsWith(current)), files, names: names && { ...names, typed: current } };
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

/** Returns the options of a command, of the one that runs if no subcommand is named, and of all its parents. */
function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(defaultBelow(command)?.options ?? []), ...inheritedBy(command)];
}

function inheritedBy({ parent }: Command): readonly Option[] {
  return parent === null ? [] : [...parent.options, ...inheritedBy(parent)];
}

/** Returns the subcommand that runs if none is named: `chat talk` for `chat`. Commander has no public property for it. */
function defaultBelow(command: Command): Command | undefined {
  const { _defaultCommandName: name } = command as unknown as { _defaultCommandName: string | null };
  return name === null ? undefined : commandBelow(command, name);
}

/** Kinds of records by the placeholders of the program's own flags. */
const kinds: ReadonlyMap<string, ReferenceKind> = new Map([
  ['employee', 'employee'],
  ['room', 'session'],
]);

/** Returns the values that the schema allows; flags of the program itself complete file names if their placeholder says so. */
function valuesOf(input: Option | Argument): Suggestions {
  const isInput = input instanceof InputOption || input instanceof InputArgument;
  const values = isInput ? input.values : (input.argChoices ?? []);
  const name = 'flags' in input ? (/[<[](.+)[>\]]/.exec(input.flags)?.[1] ?? '') : input.name();
  const isPath = isInput ? input instanceof InputArgument && input.isPath : /^(file|folder|path)$/.test(name);
  const kind = isInput ? input.refers : kinds.get(name);
  return {
    found: values.map((value) => ({ value, about: '' })),
    files: isPath && values.length === 0,
    names: kind && { kind, typed: '', before: '' },
  };
}

function splitFlag(word: string): [string, string?] {
  const at = word.indexOf('=');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}
