import type { Root, StringSchema } from 'joi';

/**
 * Scripts whose letters join, so that a zero-width (non-)joiner behind one changes how a word is written: Persian, for one, needs it
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
 * Never part of a name: control characters, line separators, half surrogates, controls of direction, characters of no width, fillers,
 * annotations and tags.
 */
const hidden =
  '\\p{Cc}\\p{Cs}\\u00AD\\u034F\\u115F\\u1160\\u17B4\\u17B5\\u180E\\u200B-\\u200D\\u2028-\\u202E\\u2060-\\u206F\\u3164\\uFEFF\\uFFA0\\uFFF9-\\uFFFB\\u{E0000}-\\u{E007F}';

const parts = [
  // The flags of England, Scotland, Wales and others.
  '\\u{1F3F4}[\\u{E0030}-\\u{E0039}\\u{E0061}-\\u{E007A}]{2,6}\\u{E007F}',
  `[^${hidden}]`,
  // Between the parts of an emoji, or behind a letter that joins.
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\uFE0F])\\u200D(?=[\\p{Extended_Pictographic}])',
  `(?<=[${joining}])[\\u200C\\u200D]`,
];

/** One line that shows what it is: at least one visible character, and none that hides or turns others. */
const visible = new RegExp(`^(?=.*(?!\\u2800)[\\p{L}\\p{N}\\p{P}\\p{S}])(?:${parts.join('|')})*$`, 'u');

/**
 * A name that people see: of a member, a node, a schedule, a conversation, a token. One line of visible text without blanks around it;
 * characters that are invisible or turn the direction of others are refused, so that no name passes for another or for none.
 */
export function label(j: Root, max: number): StringSchema {
  return j.string().trim().max(max).pattern(visible, 'one line of visible text');
}
