/**
 * A searchable unit of a text: a word, or a sign. A sign is a single character that is found anywhere in a text: one of Chinese, Japanese,
 * Korean, Thai or a similar script, or an emoji.
 */
export interface Piece {
  /** The unit as it is compared: without case, accents and differences in width. */
  text: string;
  /** Position in the original text, in UTF-16 units. */
  start: number;
  end: number;
  sign: boolean;
  /** Whether it is a sign that directly follows another sign. */
  joined: boolean;
}

/** Matches one character with its combining marks, or the separate letters of one Korean syllable. */
const cluster =
  /(?:[\u1100-\u115F\uA960-\uA97C][\u1160-\u11A7\uD7B0-\uD7C6]*[\u11A8-\u11FF\uD7CB-\uD7FB]*|[\s\S])[\p{M}\uFF9E\uFF9F\u200C\u200D]*/uy;
/** Matches the characters of a folded cluster, which may be several: `㍿` folds to four. */
const character = /\P{M}\p{M}*/gu;
const letter = /^[\p{L}\p{N}]/u;
const sign =
  /^(?:(?=[\p{L}\p{N}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]|\p{Extended_Pictographic}|\p{Regional_Indicator})/u;
/** Ignored in words: soft hyphens, joiners, byte order marks. */
const invisible = /^(?:[\u00AD\u2060\uFEFF\p{M}]|\u200C|\u200D)/u;
/** Marks without which a word is still found: accents, and the optional points of Arabic and Hebrew; not the vowels of other scripts. */
const accents =
  /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06ED\u200C\u200D]/g;
/**
 * Matches Cyrillic letters that decompose like accented ones but are letters of their own: й, ў, ї. Written as escapes, because the build
 * escapes characters in strings but not in regular expressions, and one character beyond Latin-1 makes V8 store the whole bundle in two
 * bytes per character.
 */
const distinctLetters = /[\u0418\u0438\u0423\u0443]\u0306|[\u0406\u0456]\u0308/;
/** Replacements for letters that Unicode doesn't decompose. */
const replacements: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ς: 'σ',
};
const replaceable = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');

/** A character as it is compared. A gap separates words. */
interface Folded {
  text: string;
  kind: 'sign' | 'letter' | 'gap';
}

/** Folds a cluster: returns its characters as they are compared, without ignored ones. */
function fold(text: string): Folded[] {
  const decomposed = text.normalize('NFKD');
  const withoutAccents = distinctLetters.test(decomposed) ? decomposed : decomposed.replace(accents, '');
  const composed = withoutAccents.normalize('NFC').toLowerCase();
  const characters = composed.replace(replaceable, (found) => replacements[found] as string).match(character) ?? [];
  return characters.filter((each) => !invisible.test(each)).map((each) => ({ text: each, kind: kindOf(each) }));
}

function kindOf(text: string): Folded['kind'] {
  if (sign.test(text)) return 'sign';
  return letter.test(text) ? 'letter' : 'gap';
}

/** Returns whether a code unit is a common ideograph or a Korean syllable, which have neither case nor accents. */
function isPlainSign(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

/** Returns whether a code unit is a letter from a to z in either case, or a digit. */
function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/** Returns whether a code unit may be a mark that combines with the character before it. None is below U+0300. */
function mayCombine(code: number): boolean {
  return code >= 0x300;
}

/**
 * Splits a text into searchable units. Doesn't use `Intl.Segmenter`, because its dictionaries differ between versions of Node, and an index
 * must be read as it was written.
 */
export class Pieces {
  readonly #text: string;
  readonly #found: Piece[] = [];
  /** Folded clusters by cluster, because texts repeat them. */
  readonly #folded = new Map<string, Folded[]>();
  #position = 0;
  /** The word that the next letter continues; undefined after a gap or a sign. */
  #word: Piece | undefined;
  /** Whether the last character was a sign, which another sign would join. */
  #afterSign = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns all units in order. Call it once. */
  all(): Piece[] {
    const text = this.#text;
    while (this.#position < text.length) {
      const start = this.#position;
      const code = text.charCodeAt(start);
      const isAlone = !mayCombine(text.charCodeAt(start + 1));
      if (isPlainLetter(code) && isAlone) this.#plainWord();
      else if (code < 0x80 && isAlone) this.#gap();
      else if (isPlainSign(code)) this.#add(text.charAt(start), { end: start + 1, sign: true });
      else this.#cluster();
    }
    return this.#found;
  }

  /** Adds letters a to z and digits at once, which is faster. Stops before one that the next character may combine with. */
  #plainWord(): void {
    const start = this.#position;
    let end = start + 1;
    while (isPlainLetter(this.#text.charCodeAt(end)) && !mayCombine(this.#text.charCodeAt(end + 1))) end += 1;
    this.#add(this.#text.slice(start, end).toLowerCase(), { end, sign: false });
  }

  /** Adds the characters of the next cluster. All get the position of the cluster. */
  #cluster(): void {
    cluster.lastIndex = this.#position;
    const whole = cluster.exec(this.#text)?.[0] ?? this.#text.charAt(this.#position);
    const end = this.#position + whole.length;
    const start = this.#position;
    for (const { text, kind } of this.#fold(whole)) {
      this.#position = start;
      if (kind === 'gap') this.#gap();
      else this.#add(text, { end, sign: kind === 'sign' });
    }
    this.#position = end;
  }

  #fold(text: string): Folded[] {
    const known = this.#folded.get(text);
    if (known) return known;
    const folded = fold(text);
    this.#folded.set(text, folded);
    return folded;
  }

  /** Adds a sign, or letters: these continue the current word or begin one. */
  #add(text: string, { end, sign }: { end: number; sign: boolean }): void {
    const start = this.#position;
    this.#position = end;
    if (!sign && this.#word) {
      this.#word.text += text;
      this.#word.end = end;
      return;
    }
    const piece: Piece = { text, start, end, sign, joined: sign && this.#afterSign };
    this.#found.push(piece);
    this.#word = sign ? undefined : piece;
    this.#afterSign = sign;
  }

  #gap(): void {
    this.#word = undefined;
    this.#afterSign = false;
    this.#position += 1;
  }
}
