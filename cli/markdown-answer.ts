import { cell, cut, isRecords, type Row, valueAt } from './table.js';
import { coloured, type Terminal } from './terminal.js';

export interface MarkdownStyle {
  /** Key of the text. */
  key: string;
  /** Keys that are shown above the text. */
  columns: readonly string[];
  /** Keys of lists of named records, by the word for one record. */
  named?: Readonly<Record<string, string>> | undefined;
}

/** Formats records for a terminal: a line with the fields of each, then its text, which is Markdown. An empty line separates records. */
export async function markdownAnswer(
  rows: readonly Row[],
  { key, columns, named = {} }: MarkdownStyle,
  terminal: Terminal,
): Promise<string> {
  const { renderMarkdown } = await import('../tui/markdown/render.js');
  const width = terminal.stdout.columns || 80;
  const color = coloured(terminal);
  const texts = rows.map((row) => {
    const fields = columns.filter((column) => column !== key).map((column) => cell(valueAt(row, column)));
    const head = cut(fields.filter((field) => field !== '').join('  '), width);
    const text = renderMarkdown(String(valueAt(row, key) ?? ''), { width, color });
    const lines = [color ? `\u001B[1m${head}\u001B[22m` : head, ...namesIn(row, named), ...text];
    return lines.map((line) => `${line}\n`).join('');
  });
  return texts.join('\n');
}

/** Returns a line for each named record: `[file report.pdf]`, and its id. */
function namesIn(row: Row, named: Readonly<Record<string, string>>): string[] {
  return Object.entries(named).flatMap(([word, key]) => {
    const records = valueAt(row, key);
    if (!isRecords(records)) return [];
    return records.map(({ id, name }) => [`[${[word, cell(name)].join(' ').trim()}]`, cell(id)].join(' ').trim());
  });
}
