import { width } from './table.js';

/** Wraps a text between words into lines of at most `columns`; a longer word gets a line of its own. */
export function wrapped(text: string, columns: number): string[] {
  return fillLines(text.split(/\s+/).filter(Boolean), columns);
}

/** Wraps a hint between its clauses, so that a command in it stays whole and can be pasted. */
export function wrappedHint(text: string, columns: number): string[] {
  return fillLines(text.split(/(?<=[:;,]) /), columns);
}

/** Wraps a shell command between its words, never within quotes, so that it can be pasted. */
export function wrappedCommand(command: string, columns: number): string[] {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  const lines = fillLines(words, columns - 2);
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

function fillLines(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const joined = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && width(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
