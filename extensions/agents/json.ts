/** A JSON object of others, whose fields may hold anything. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the value of a text; undefined if it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the object that a text is as JSON, an empty one for a blank text; undefined if it is anything else. */
export function parseObject(text: string): object | undefined {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isRecord(value) ? value : undefined;
}

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
