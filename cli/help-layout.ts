import { type Command, Help } from 'commander';
import { pad, width } from './table.js';
import { wrapped, wrappedCommand } from './wrap.js';

const indent = 2;
const gap = 2;
/** Minimum width of a description beside its term, in columns; a narrower one goes below the term. */
const min_description = 36;
const below_indent = 6;

/** Formats a flag or a command with its description: side by side if there is room, otherwise one below the other. */
function formatItem(this: Help, term: string, longest: number, description: string): string {
  if (description === '') return `${' '.repeat(indent)}${term}`;
  const columns = columnsOf(this);
  const column = Math.min(longest, Math.floor(columns * 0.4));
  const room = columns - indent - column - gap;
  if (room < min_description) return [`${' '.repeat(indent)}${term}`, ...below(description, below_indent, columns)].join('\n');
  const start = indent + column + gap;
  if (width(term) > column) return [`${' '.repeat(indent)}${term}`, ...below(description, start, columns)].join('\n');
  const lines = wrapped(description, room);
  return [`${' '.repeat(indent)}${pad(term, column)}${' '.repeat(gap)}${lines[0] ?? ''}`, ...indented(lines.slice(1), start)].join('\n');
}

function below(text: string, start: number, columns: number): string[] {
  return indented(wrapped(text, columns - start), start);
}

function indented(lines: readonly string[], start: number): string[] {
  return lines.map((line) => `${' '.repeat(start)}${line}`);
}

/** Returns the usable columns. One stays free: some terminals start a new line after a full one. */
function columnsOf({ helpWidth = 80 }: Help): number {
  return helpWidth - 1;
}

/** Returns the term of a subcommand without its aliases: they only serve people who guess the word. */
function subcommandTerm(this: Help, command: Command): string {
  return withoutAlias(Help.prototype.subcommandTerm.call(this, command), command);
}

function commandUsage(this: Help, command: Command): string {
  return withoutAlias(Help.prototype.commandUsage.call(this, command), command);
}

function withoutAlias(text: string, command: Command): string {
  const [alias] = command.aliases();
  return alias === undefined ? text : text.replace(`${command.name()}|${alias}`, command.name());
}

/** Options for commander's `configureHelp`. */
export const helpLayout = { showGlobalOptions: true, minWidthToWrap: 1, formatItem, subcommandTerm, commandUsage };

/** Wraps what commander doesn't: the usage line, examples and notes. */
export function fitHelp(text: string, columns: number | undefined): string {
  const max = (columns || 80) - 1;
  return text
    .split('\n')
    .flatMap((line) => (width(line) <= max ? [line] : fitLine(line, max)))
    .join('\n');
}

function fitLine(line: string, max: number): string[] {
  const [, spaces = '', prompt = '', rest = ''] = /^(\s*)(\$ )?(.*)$/.exec(line) ?? [];
  const start = spaces.length + prompt.length;
  if (prompt === '') return indented(wrapped(rest, max - spaces.length), spaces.length);
  const [first = '', ...others] = wrappedCommand(rest, max - start - gap);
  return [`${spaces}${prompt}${first}`, ...indented(others, start + gap)];
}
