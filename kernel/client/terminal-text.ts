import { stripVTControlCharacters } from 'node:util';

/** Sanitises foreign text for a terminal: removes escape sequences, control characters and bidirectional marks. */
export function harmless(text: string): string {
  return stripVTControlCharacters(text).replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, (mark) =>
    mark === '\n' || mark === '\t' ? mark : '',
  );
}

/** Escapes such characters in JSON as `\u009b`: JSON itself escapes only those below U+0020. */
export function harmlessJson(json: string): string {
  return json.replace(/[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/gu, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
