/** A piece of a text that is searched for as a whole: a word, or one sign of a script that is written without spaces. */
export interface Piece {
  /** Without case, accents and width. */
  text: string;
  /** Where it stands, in UTF-16 units. */
  start: number;
  end: number;
  /** One of Chinese, Japanese, Korean, Thai and the like, or an emoji: found inside of any text. */
  sign: boolean;
  /** A sign that directly follows another. */
  joined: boolean;
}

/** A character with its marks; Korean letters that make up one syllable. */
const cluster =
  /(?:[\u1100-\u115F\uA960-\uA97C][\u1160-\u11A7\uD7B0-\uD7C6]*[\u11A8-\u11FF\uD7CB-\uD7FB]*|[\s\S])[\p{M}\uFF9E\uFF9F\u200C\u200D]*/uy;
/** The parts of a compatible form: `㍿` is four characters. */
const character = /\P{M}\p{M}*/gu;
const letter = /^[\p{L}\p{N}]/u;
const sign =
  /^(?:(?=[\p{L}\p{N}])[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Bopo}\p{scx=Hang}\p{sc=Yiii}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Tibt}]|\p{Extended_Pictographic}|\p{Regional_Indicator})/u;
/** Takes no part in a word: soft hyphens, joiners, byte order marks. */
const invisible = /^(?:[\u00AD\u2060\uFEFF\p{M}]|\u200C|\u200D)/u;
/** Accents, and the points of Arabic and Hebrew that are mostly left out; not the vowels of other scripts. */
const accents =
  /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE00-\uFE0F\uFE20-\uFE2F\u0591-\u05BD\u05BF\u05C1\u05C2\u05C4\u05C5\u05C7\u0610-\u061A\u0640\u064B-\u065F\u0670\u06D6-\u06ED\u200C\u200D]/g;
/**
 * Letters of their own in Cyrillic, which decompose like accented ones: й, ў, ї. Written as numbers, as one
 * letter beyond Latin in the bundle makes V8 keep, and read, all of it in twice the bytes.
 */
const ownLetters = /[\u0418\u0438\u0423\u0443]\u0306|[\u0406\u0456]\u0308/;
/** Letters that Unicode doesn't decompose. */
const alike: Readonly<Record<string, string>> = {
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
const unlike = new RegExp(`[${Object.keys(alike).join('')}]`, 'g');

/** A character as it is compared. */
interface Folded {
  text: string;
  kind: 'sign' | 'letter' | 'gap';
}

/** The characters of a cluster; those that take no part are left out. */
function fold(text: string): Folded[] {
  const apart = text.normalize('NFKD');
  const bare = (ownLetters.test(apart) ? apart : apart.replace(accents, '')).normalize('NFC').toLowerCase();
  const characters = bare.replace(unlike, (found) => alike[found] as string).match(character) ?? [];
  return characters.filter((one) => !invisible.test(one)).map((one) => ({ text: one, kind: kindOf(one) }));
}

function kindOf(text: string): Folded['kind'] {
  if (sign.test(text)) return 'sign';
  return letter.test(text) ? 'letter' : 'gap';
}

/** Ideographs and Korean syllables: no case and no accents. */
function isPlainSign(code: number): boolean {
  return (code >= 0x4e00 && code <= 0x9fff) || (code >= 0xac00 && code <= 0xd7a3);
}

function isPlainLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

/**
 * Takes a text apart into what can be searched for. Words are not found with `Intl.Segmenter`: its
 * dictionaries differ between versions of Node, and an index must be read as it was written.
 */
export class Pieces {
  readonly #text: string;
  readonly #found: Piece[] = [];
  readonly #folded = new Map<string, Folded[]>();
  #place = 0;
  /** The word that goes on, and the sign that another may join. */
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

  /** The letters a to z and digits, up to where something else may belong to the last one. */
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
