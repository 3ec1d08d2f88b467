import { isRecord, parseJson } from '../json.js';

interface Found {
  /** The object as it is written. */
  text: string;
  value: Readonly<Record<string, unknown>>;
  /** The place behind it. */
  end: number;
}

/** Finds the JSON object that begins at a place of a text; undefined if none does. */
export function objectAt(text: string, start: number): Found | undefined {
  if (text[start] !== '{') return undefined;
  const end = closingOf(text, start);
  const written = text.slice(start, end);
  const value = parseJson(written);
  return isRecord(value) ? { text: written, value, end } : undefined;
}

/** Returns the place behind the brace that closes the one at `start`; the end of the text if none does. */
function closingOf(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at += 1) {
    const sign = text[at];
    if (isQuoted && sign === '\\') at += 1;
    else if (sign === '"') isQuoted = !isQuoted;
    else if (!isQuoted && sign === '{') depth += 1;
    else if (!isQuoted && sign === '}') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
