import { stripVTControlCharacters } from 'node:util';

/** Foreign text without what a terminal obeys: escapes, control characters, and marks that reverse the writing direction. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (mark) =>
    mark === '\n' || mark === '\t' ? mark : '',
  );
}

/** The same JSON, in which such marks stand as `\u009b`: JSON itself escapes only the oldest of them. */
export function harmlessJson(json: string): string {
  return json.replace(/[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
