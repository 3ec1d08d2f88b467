import type { Fault } from '../../contract/failure.js';

/** Limits of third parties' JSON, checked before anything else. */
const max_depth = 32;
const max_values = 10_000;
const max_text_length = 10_000;

/** Terminal control characters, bidirectional controls, and tag characters that only models read. Line breaks and tabs are allowed. */
const forbidden = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u;

/** Returns faults: too deep or too many values, texts too long or with control characters, and the key `__proto__`. */
export function shapeFaults(data: unknown): Fault[] {
  const faults: Fault[] = [];
  let values = 0;
  const visit = (value: unknown, path: string, depth: number): void => {
    values += 1;
    if (values > max_values) return;
    if (typeof value === 'string') addText(value, path, faults);
    if (typeof value !== 'object' || value === null) return;
    if (depth === max_depth) faults.push({ path, message: `"${path}" is nested deeper than ${max_depth} levels` });
    else for (const [key, inner] of Object.entries(value)) visitKey(key, inner, { path, depth, array: Array.isArray(value) });
  };
  const visitKey = (key: string, inner: unknown, at: { path: string; depth: number; array: boolean }) => {
    const path = at.path === '' ? key : `${at.path}.${key}`;
    if (!at.array) addKey(key, at.path, faults);
    visit(inner, path, at.depth + 1);
  };
  visit(data, '', 0);
  if (values > max_values) faults.push({ path: '', message: `The manifest has more than ${max_values} values` });
  return faults;
}

function addText(text: string, path: string, faults: Fault[]): void {
  if (text.length > max_text_length) faults.push({ path, message: `"${path}" has more than ${max_text_length} characters` });
  else if (forbidden.test(text)) faults.push({ path, message: `"${path}" has control characters` });
}

function addKey(key: string, path: string, faults: Fault[]): void {
  if (key === '__proto__') faults.push({ path, message: `"${path}" has the key __proto__` });
  else if (key.length > 200 || /[\p{Cc}\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/u.test(key)) {
    faults.push({ path, message: `"${path}" has a key that is too long or has control characters` });
  }
}
