import { asTyped } from './invocation.js';
import { harmless, type Terminal } from './terminal.js';
import { wrapped, wrappedHint } from './wrap.js';

type RemarkTerminal = Pick<Terminal, 'env' | 'stderr'>;

/** Writes a remark to standard error. On a terminal its lines are broken between words. */
export function remark(text: string, terminal: RemarkTerminal): void {
  write(text, wrapped, terminal);
}

/** Writes a remark that holds a command, which stays in one piece, to be pasted: lines are broken only after a colon, `;` or `,`. */
export function remarkCommand(text: string, terminal: RemarkTerminal): void {
  write(text, wrappedHint, terminal);
}

function write(text: string, broken: (line: string, columns: number) => string[], terminal: RemarkTerminal): void {
  const { stderr } = terminal;
  const columns = stderr.isTTY ? stderr.columns || 80 : Number.POSITIVE_INFINITY;
  const lines = asTyped(harmless(text), terminal).split('\n');
  for (const line of lines.flatMap((line) => (line.length <= columns ? [line] : broken(line, columns)))) stderr.write(`${line}\n`);
}
