/** Matches control characters, marks that change the writing direction, and invisible tags that a model would read as letters. */
const hidden = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu;

/** Cleans a skill's text, so that people and models see the same text with nothing hidden in it. */
export function cleanText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(hidden, '\ufffd');
}

/** Cleans a text to one line of limited length, in characters. */
export function cleanLine(text: string, max_length: number): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  return line.length <= max_length ? line : `${line.slice(0, max_length - 1).toWellFormed()}…`;
}
