import { furtherNames } from './emoji-names.js';
import { outsideCode } from './text.js';

const name_pattern = /:([a-z0-9_+-]+)(?:::?skin-tone-([2-6]))?:/gi;
/** An emoji whose skin has a tone. */
const base_pattern = /^\p{Emoji_Modifier_Base}/u;
const flag = 'v';
// The formatter would write a literal with the flag `v`, which the compiler's target doesn't know.
const one_emoji = new RegExp('^\\p{RGI_Emoji}$', flag);

/** Turns names of emoji into characters. */
export class Emoji {
  readonly #names: Readonly<Record<string, string>>;

  /** Loads the names. */
  static async load(): Promise<Emoji> {
    const { nameToEmoji } = await import('gemoji');
    return new Emoji({ ...nameToEmoji, ...furtherNames });
  }

  private constructor(names: Readonly<Record<string, string>>) {
    this.#names = names;
  }

  /** Returns the emoji of a name, such as `thumbsup` or `wave::skin-tone-3`; undefined for one that a workspace has made. */
  of(given: string): string | undefined {
    const [name = '', tone] = given.toLowerCase().split(/::?skin-tone-/);
    const found = this.#named(name) ?? flagOf(name);
    return found === undefined || tone === undefined ? found : toned(found, Number(tone));
  }

  /** Replaces names within a text, outside of code. Other names stay. */
  inText(text: string): string {
    if (!text.includes(':')) return text;
    const emoji = (whole: string, name: string, tone?: string) =>
      this.of(tone === undefined ? name : `${name}::skin-tone-${tone}`) ?? whole;
    return outsideCode(text, (part) => part.replace(name_pattern, emoji));
  }

  /** Looks a name up as it is, and as the package writes it. */
  #named(name: string): string | undefined {
    const other = name
      .replace(/^male-/, 'man-')
      .replace(/^female-/, 'woman-')
      .replaceAll('-', '_');
    const known = [name, other].find((one) => Object.hasOwn(this.#names, one));
    return known === undefined ? undefined : this.#names[known];
  }
}

/** Returns the flag of a country: `flag-fr`. */
function flagOf(name: string): string | undefined {
  const [, country] = /^flag-([a-z]{2})$/.exec(name) ?? [];
  if (country === undefined) return undefined;
  const sign = Array.from(country, (letter) => String.fromCodePoint(0x1f1e6 + letter.charCodeAt(0) - 97)).join('');
  return one_emoji.test(sign) ? sign : undefined;
}

/** Gives an emoji a tone, from 2 to 6; one that has none stays as it is. */
function toned(emoji: string, tone: number): string {
  const [first = '', ...rest] = Array.from(emoji);
  if (!base_pattern.test(first)) return emoji;
  const changed = first + String.fromCodePoint(0x1f3f9 + tone) + rest.join('').replace(/^\uFE0F/, '');
  return one_emoji.test(changed) ? changed : emoji;
}
