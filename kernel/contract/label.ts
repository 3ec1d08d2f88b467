import type { Root, StringSchema } from 'joi';

/**
 * Scripts with joining letters, in which a zero-width joiner or non-joiner after a letter changes how a word is written, as in Persian
 * (RFC 5892, appendix A).
 */
const joining = [
  'Arabic',
  'Syriac',
  'Nko',
  'Mongolian',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Khmer',
  'Myanmar',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

/**
 * Characters that a name must not have: control characters, line separators, lone surrogates, bidirectional controls, zero-width characters,
 * fillers, annotations and tags.
 */
const hidden =
  '\\p{Cc}\\p{Cs}\\u00AD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B-\\u200D\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}';

const parts = [
  // Flags that are written with tags: England, Scotland, Wales and others.
  '\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{2,6}\\u{E007F}',
  `[^${hidden}]`,
  // Joiners between the parts of an emoji, and after a joining letter.
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=[\\p{Extended_Pictographic}])',
  `(?<=[${joining}])[\\u200C\\u200D]`,
];

/** Matches one line with at least one visible character and none that hides or reverses others. */
const visible = new RegExp(`^(?=.*(?!\\u2800)[\\p{L}\\p{N}\\p{P}\\p{S}])(?:${parts.join('|')})*$`, 'u');

/**
 * Returns the schema of a name that people see, such as that of a member, a node or a token: one trimmed line of visible text. Refuses
 * invisible and bidirectional characters, by which one name could imitate another or look empty.
 */
export function label(j: Root, max: number): StringSchema {
  return j.string().trim().max(max).pattern(visible, 'one line of visible text');
}

const invisible = new RegExp(`[${hidden}]`, 'gu');

/** Returns a foreign text as a name that {@link label} accepts: one line without invisible characters; empty if nothing is left. */
export function toLabel(text: string, max: number): string {
  const line = text.normalize('NFC').replace(/\s+/gu, ' ').replace(invisible, '').trim();
  const cut = line.length <= max ? line : line.slice(0, /[\uD800-\uDBFF]/.test(line.charAt(max - 1)) ? max - 1 : max).trim();
  return visible.test(cut) ? cut : '';
}
