/** A searchable unit of a text: a word, or one sign of a script without spaces. */
export interface Piece {
  /** Without case, accents and width. */
  text: string;
  /** Start position in UTF-16 units. */
  start: number;
  end: number;
  /** Whether it is a character of Chinese, Japanese, Korean, Thai or similar, or an emoji: found anywhere in a text. */
  sign: boolean;
  /** Whether the sign directly follows another. */
  joined: boolean;
}

/** A character with its marks, or the Korean letters of one syllable. */
const cluster =
  /(?:[\u1100-\u115F\uA960-\uA97C][\u1160-\u11A7\uD7B0-\uD7C6]*[\u11A8-\u11FF\uD7CB-\uD7FB]*|[\s\S])[\p{M}\uFF9E\uFF9F\u200C\u200D]*/uy;
/** Characters of a compatibility form: `㍿` is four characters. */
const character = /\P{M}\p{M}*/gu;
const letter = /^[\p{L}\p{N}]/u;
const sign =
  /^(?:(?=[\p{L}\p{N}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]|\p{Extended_Pictographic}|\p{Regional_Indicator})/u;
/** Ignored in words: soft hyphens, joiners, byte order marks. */
const invisible = /^(?:[\u00AD\u2060\uFEFF\p{M}]|\u200C|\u200D)/u;
/** Accents, and the optional points of Arabic and Hebrew; not the vowels of other scripts. */
const accents =
  /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06ED\u200C\u200D]/g;
/**
 * Cyrillic letters that decompose like accented ones but are distinct: й, ў, ї. Escaped, because a single non-Latin character in the bundle
 * makes V8 store the whole bundle in two bytes per character.
 */
const ownLetters = /[\u0418\u0438\u0423\u0443]\u0306|[\u0406\u0456]\u0308/;
/** Letters that Unicode doesn't decompose. */
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
const unlike = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');

/** A character in its compared form. */
interface Folded {
  text: string;
  kind: 'sign' | 'letter' | 'gap';
}

/** Returns the compared characters of a cluster, without ignored ones. */
function fold(text: string): Folded[] {
  const apart = text.normalize('NFKD');
  const bare = (ownLetters.test(apart) ? apart : apart.replace(accents, '')).normalize('NFC').toLowerCase();
  const characters = bare.replace(unlike, (found) => replacements[found] as string).match(character) ?? [];
  return characters.filter((one) => !invisible.test(one)).map((one) => ({ text: one, kind: kindOf(one) }));
}

function kindOf(text: string): Folded['kind'] {
  if (sign.test(text)) return 'sign';
  return letter.test(text) ? 'letter' : 'gap';
}

/** Returns whether a code point is an ideograph or a Korean syllable, which have neither case nor accents. */
function isPlainSign(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/**
 * Splits a text into searchable units. Doesn't use `Intl.Segmenter`, because its dictionaries differ between versions of Node, and an index
 * must be read as it was written.
 */
export class Pieces {
  readonly #text: string;
  readonly #found: Piece[] = [];
  readonly #folded = new Map<string, Folded[]>();
  #place = 0;
  /** The current word, and the sign that another may follow. */
  #word: Piece | undefined;
  #sign = false;

  constructor(text: string) {
    this.#text = text;
  }

  all(): Piece[] {
    const text = this.#text;
    while (this.#place < text.length) {
      const start = this.#place;
      const code = text.charCodeAt(start);
      if (isPlainLetter(code) && !(text.charCodeAt(start + 1) >= 0x300)) this.#plainWord();
      else if (code < 0x80 && !(text.charCodeAt(start + 1) >= 0x300)) this.#gap();
      else if (isPlainSign(code)) this.#add(text.charAt(start), { end: start + 1, sign: true });
      else this.#cluster();
    }
    return this.#found;
  }

  /** Fast path for letters a to z and digits, up to a character that may combine with the last one. */
  #plainWord(): void {
    const start = this.#place;
    let end = start + 1;
    while (isPlainLetter(this.#text.charCodeAt(end)) && !(this.#text.charCodeAt(end + 1) >= 0x300)) end += 1;
    this.#add(this.#text.slice(start, end).toLowerCase(), { end, sign: false });
  }

  #cluster(): void {
    cluster.lastIndex = this.#place;
    const whole = cluster.exec(this.#text)?.[0] ?? this.#text.charAt(this.#place);
    const end = this.#place + whole.length;
    const start = this.#place;
    for (const { text, kind } of this.#fold(whole)) {
      this.#place = start;
      if (kind === 'gap') this.#gap();
      else this.#add(text, { end, sign: kind === 'sign' });
    }
    this.#place = end;
  }

  #fold(text: string): Folded[] {
    const known = this.#folded.get(text);
    if (known) return known;
    const folded = fold(text);
    this.#folded.set(text, folded);
    return folded;
  }

  #add(text: string, { end, sign }: { end: number; sign: boolean }): void {
    const start = this.#place;
    this.#place = end;
    if (!sign && this.#word) {
      this.#word.text += text;
      this.#word.end = end;
      return;
    }
    const piece: Piece = { text, start, end, sign, joined: sign && this.#sign };
    this.#found.push(piece);
    this.#word = sign ? undefined : piece;
    this.#sign = sign;
  }

  #gap(): void {
    this.#word = undefined;
    this.#sign = false;
    this.#place += 1;
  }
}
