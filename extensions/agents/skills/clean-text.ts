/** What a terminal obeys, what turns the writing direction, and marks that nobody sees and a model reads as letters. */
const unshown = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu;

/** A skill's text as people see it and as models get it: the same, with nothing hidden in it. */
export function cleanText(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(unshown, '\ufffd');
}

/** The same in one line of at most so many characters. */
export function cleanLine(text: string, longest: number): string {
  const line = cleanText(text).replace(/\s+/g, ' ').trim();
  return line.length <= longest ? line : `${line.slice(0, longest - 1).toWellFormed()}…`;
}
