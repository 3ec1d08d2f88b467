/** JSON object from outside; its fields may hold anything. */
export type Fields = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Parses JSON; undefined if the text is not valid JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses a JSON object; a blank text counts as an empty one. Undefined for anything else. */
export function parseObject(text: string): object | undefined {
  const value = text.trim() === '' ? {} : parseJson(text);
  return isRecord(value) ? value : undefined;
}

interface Found {
  /** Source text of the object. */
  text: string;
  value: Readonly<Record<string, unknown>>;
  /** Index after the object. */
  end: number;
}

/** Finds the JSON object that starts at an index of a text; undefined if none does. */
export function objectAt(text: string, start: number): Found | undefined {
  if (text[start] !== '{') return undefined;
  const end = closingOf(text, start);
  const written = text.slice(start, end);
  const value = parseJson(written);
  return isRecord(value) ? { text: written, value, end } : undefined;
}

/** Returns the index after the brace that closes the one at `start`; the end of the text if none does. */
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
