/** A name that somebody gives to something. */
export interface NameCase {
  name: string;
  source: string;
  given: string;
  allowed: boolean;
}

const trojan = 'CVE-2021-42574: controls of direction reorder what is shown';
const invisible = 'Unicode 15, 23.2 and 5.21: default ignorable code points are not shown';
const cldr = 'UTS #51, emoji sequences';
const contextj = 'RFC 5892, appendix A.1 and A.2';

export const nameCases: readonly NameCase[] = [
  { name: 'a name of zero-width spaces is refused', source: invisible, given: '\u200B\u200B', allowed: false },
  { name: 'a name of a single zero-width joiner is refused', source: invisible, given: '\u200D', allowed: false },
  { name: 'a name of Hangul fillers is refused', source: invisible, given: '\u3164\u3164', allowed: false },
  { name: 'a name of the blank Braille pattern is refused', source: 'Unicode chart U+2800', given: '\u2800\u2800', allowed: false },
  { name: 'a name of spaces is refused', source: 'Unicode category Zs', given: ' \u00A0\u3000', allowed: false },
  { name: 'a name of a combining mark alone is refused', source: 'Unicode category M', given: '\u0301', allowed: false },
  { name: 'a name of a directional mark only is refused', source: trojan, given: '\u200E', allowed: false },
  { name: 'a directional override is refused', source: trojan, given: 'ada\u202Egpj.exe', allowed: false },
  { name: 'a directional isolate is refused', source: trojan, given: '\u2067admin\u2069', allowed: false },
  { name: 'a zero-width space inside a name is refused', source: invisible, given: 'ad\u200Bmin', allowed: false },
  { name: 'a joiner between Latin letters is refused', source: contextj, given: 'ad\u200Dmin', allowed: false },
  { name: 'a non-joiner between Latin letters is refused', source: contextj, given: 'ad\u200Cmin', allowed: false },
  { name: 'a soft hyphen is refused', source: invisible, given: 'ad\u00ADmin', allowed: false },
  { name: 'a word joiner is refused', source: invisible, given: 'ad\u2060min', allowed: false },
  { name: 'a byte order mark is refused', source: invisible, given: 'ad\uFEFFmin', allowed: false },
  { name: 'hidden tags are refused', source: 'Unicode 15, 23.9: tag characters', given: 'ada\u{E0041}\u{E0042}', allowed: false },
  { name: 'a line feed is refused', source: 'Unicode category Cc', given: 'ada\nadmin', allowed: false },
  { name: 'a line separator is refused', source: 'Unicode category Zl', given: 'ada\u2028admin', allowed: false },
  { name: 'a terminal escape is refused', source: 'ECMA-48', given: 'ada\u001B[31m', allowed: false },
  { name: 'an emoji of joined people passes', source: cldr, given: '👩‍👩‍👧 family', allowed: true },
  { name: 'an emoji with a skin tone and a joiner passes', source: cldr, given: '👩🏽‍🚀', allowed: true },
  { name: 'an emoji with a variation selector and a joiner passes', source: cldr, given: '🏳️‍🌈', allowed: true },
  { name: 'the flag of Scotland passes', source: cldr, given: '🏴󠁧󠁢󠁳󠁣󠁴󠁿', allowed: true },
  { name: 'a keycap passes', source: cldr, given: 'Team 1️⃣', allowed: true },
  { name: 'a Persian name with a non-joiner passes', source: contextj, given: 'نیم\u200Cفاصله', allowed: true },
  { name: 'a Sinhala name with a joiner passes', source: contextj, given: 'ශ්\u200Dරී', allowed: true },
  { name: 'a Hindi name with a joiner passes', source: contextj, given: 'क्\u200Dष', allowed: true },
  { name: 'a Hebrew name passes', source: 'UAX #9', given: 'דוד בן־גוריון', allowed: true },
  { name: 'an Arabic name with a directional mark inside passes', source: 'UAX #9', given: 'علي (A)\u200F.', allowed: true },
  { name: 'a Chinese name passes', source: 'Unicode script Han', given: '王小明', allowed: true },
  { name: 'a decomposed name passes', source: 'UAX #15', given: 'Zoe\u0308', allowed: true },
  { name: 'a name of digits and signs passes', source: 'Unicode categories N and P', given: '007!', allowed: true },
  { name: 'a title that ends in an ellipsis passes', source: 'Unicode category Po', given: 'Report…', allowed: true },
];
