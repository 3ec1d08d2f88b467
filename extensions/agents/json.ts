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
