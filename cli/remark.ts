import { asTyped } from './invocation.js';
import { hanging } from './record.js';
import { width } from './table.js';
import { harmless, type Terminal } from './terminal.js';
import { wrapped, wrappedHint } from './wrap.js';

type RemarkTerminal = Pick<Terminal, 'env' | 'stderr'>;

/** Writes a remark to standard error, wrapped between words on a terminal. */
export function remark(text: string, terminal: RemarkTerminal): void {
  write(text, wrapped, terminal);
}

/** Writes a remark that contains a command. Wraps only after `:`, `;` or `,`, so that the command can be pasted. */
export function remarkCommand(text: string, terminal: RemarkTerminal): void {
  write(text, wrappedHint, terminal);
}

/** Writes a text from another source, such as a message, to standard error, wrapped between words on a terminal. */
export function remarkQuoted(text: string, terminal: Pick<Terminal, 'stderr'>, head = ''): void {
  for (const line of linesFor(text, terminal, head)) terminal.stderr.write(`${line}\n`);
}

/** Returns the lines of a text for standard error, behind a head, wrapped between words on a terminal. */
export function linesFor(text: string, terminal: Pick<Terminal, 'stderr'>, head = ''): string[] {
  return harmless(text)
    .split('\n')
    .flatMap((line) => hanging(head, line, columnsOf(terminal)));
}

/** Returns the width of standard error in columns; infinite for a file. */
function columnsOf({ stderr }: Pick<Terminal, 'stderr'>): number {
  return stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY;
}

function write(text: string, wrap: (line: string, columns: number) => string[], terminal: RemarkTerminal): void {
  const { stderr } = terminal;
  const lines = asTyped(harmless(text), terminal).split('\n');
  for (const line of lines.flatMap((line) => (width(line) <= columnsOf(terminal) ? [line] : wrap(line, columnsOf(terminal)))))
    stderr.write(`${line}\n`);
}
