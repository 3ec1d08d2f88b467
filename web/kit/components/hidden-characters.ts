/**
 * Matches characters that nobody sees and that change how others are read or what a machine reads: controls, direction marks, invisible
 * operators and tags. Joiners stay, because emoji and some scripts need them.
 */
const hidden = /(?![\t\n\r])[\p{Cc}\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\uFEFF\u{E0000}-\u{E007F}]/gu;

const [escape_key, bell] = ['\u001b', '\u0007'];
/** Matches control sequences of terminals (ECMA-48): CSI, the strings OSC, DCS, SOS, PM and APC with their content, and short ones. */
const sequence = new RegExp(
  `${escape_key}(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^${bell}${escape_key}]{0,4096}(?:${bell}|${escape_key}\\\\)|[ -/]*[0-~])`,
  'g',
);

/**
 * Returns text with its hidden characters in words, `[U+202E]`. Code and the input of a tool are read to be trusted, and must not say one
 * thing to a person and another to a machine (CVE-2021-42574).
 */
export function revealed(text: string): string {
  return text.replace(hidden, (character) => `[U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}]`);
}

/** Returns what a program printed without colours and other sequences for terminals. */
export function withoutSequences(text: string): string {
  return text.replace(sequence, '');
}
