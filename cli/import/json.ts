/** A JSON object of an export: nothing about it is certain. */
export type Json = Readonly<Record<string, unknown>>;

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Parses JSON in UTF-8, with or without a byte order mark. Throws an error whose message is a sentence without its subject. */
export function parseJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new Error('is not valid UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch (fault) {
    throw new Error(`is not valid JSON (${(fault as Error).message})`);
  }
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the objects of a list; none if it is no list. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Returns the texts of a list; none if it is no list. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** Returns a text that a database can store; empty if the value is no text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '\uFFFD') : '';
}

/** Returns the first of the values that is a text with something in it. */
export function firstText(...values: unknown[]): string {
  return values.map((value) => textOf(value).trim()).find((text) => text !== '') ?? '';
}
