import { type InkKey, keyNames } from './key-names.js';
import { pasted } from './kit/typed.js';

/** The marks around a paste, as ink names them (bracketed paste: xterm's control sequences, mode 2004). */
const begin = '[200~';
const end = '[201~';
/** The characters of a paste after which the rest is dropped: more than any message holds. */
const max_paste = 1_000_000;

/** Turns pieces of input into keys. A paste becomes one key, whatever it holds. */
export class KeyReader {
  /** The text pasted so far; undefined outside of a paste. */
  #paste: string | undefined;

  read(input: string, key: InkKey): string[] {
    if (input === begin) {
      this.#paste = '';
      return [];
    }
    if (this.#paste === undefined) return keyNames(input, key);
    if (input === end) return this.#finish();
    // A paste whose end is lost must not swallow the key that quits.
    if (key.ctrl && input === 'c') return [...this.#finish(), ...keyNames(input, key)];
    if (this.#paste.length < max_paste) this.#paste = (this.#paste + textOf(input, key)).slice(0, max_paste);
    return [];
  }

  #finish(): string[] {
    const text = this.#paste ?? '';
    this.#paste = undefined;
    return pasted(text);
  }
}

function textOf(input: string, key: InkKey): string {
  if (key.return) return '\n';
  if (key.tab) return '\t';
  return key.ctrl || key.meta ? '' : input;
}
