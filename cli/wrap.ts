import { width } from './table.js';

/** Breaks a text into lines of at most `columns`, between words; a word that is longer stands alone. */
export function wrapped(text: string, columns: number): string[] {
  return filled(text.split(/\s+/).filter(Boolean), columns);
}

/** Breaks a hint into lines between its clauses, so that a command in it stays in one piece, to be pasted. */
export function wrappedHint(text: string, columns: number): string[] {
  return filled(text.split(/(?<=[:;,]) /), columns);
}

/** Breaks a shell command between its words, never within quotes, so that it can be pasted as it stands. */
export function wrappedCommand(command: string, columns: number): string[] {
  const words = command.match(/(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"\\])+/g) ?? [];
  const lines = filled(words, columns - 2);
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}

function filled(words: readonly string[], columns: number): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const joined = lines.length === 0 ? word : `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && width(joined) <= columns) lines[lines.length - 1] = joined;
    else lines.push(word);
  }
  return lines;
}
