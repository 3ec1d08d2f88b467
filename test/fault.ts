const max_lines = 30;
const max_columns = 300;
/** A name may hold the whole message of an error, or a screen. */
const max_name_length = 1_500;
/** Parts that tap adds for a terminal: source lines of the test, and values that the diff shows already. */
const unread = new Set(['at', 'diff', 'source', 'compare', 'found', 'wanted', 'tapCaught']);

interface Diagnosis {
  diff?: string;
  at?: { fileName?: string; lineNumber?: number };
  [more: string]: unknown;
}

/**
 * A failed test as text: its name in the first line, below it, indented, where it failed, the difference between what was
 * wanted and what was found, and whatever else tap says. At most 30 lines of at most 300 characters, below at most 1,500.
 */
export function faultText(name: string, diag: unknown): string {
  const lines = diagnosed(diag).slice(0, max_lines);
  return [name.slice(0, max_name_length), ...lines.map((line) => `  ${line}`.slice(0, max_columns))].join('\n');
}

function diagnosed(diag: unknown): string[] {
  if (typeof diag !== 'object' || diag === null) return diag ? [String(diag)] : [];
  const { at, diff, ...others } = diag as Diagnosis;
  const place = at?.fileName ? [`at ${at.fileName}:${at.lineNumber}`] : [];
  const more = Object.entries(others).filter(([key]) => !unread.has(key));
  // Without a difference, the two values are all there is.
  const values = diff ? [] : Object.entries(others).filter(([key]) => key === 'found' || key === 'wanted');
  return [...place, ...linesOf(diff ?? ''), ...[...values, ...more].flatMap(([key, value]) => linesOf(`${key}: ${shown(value)}`))];
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

/** Without those of a stack that are not ours. */
const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '' && !line.includes('/node_modules/'));
