import { pasted } from './kit/typed.js';

/** Marks around a paste, as ink names them (bracketed paste: xterm's control sequences, mode 2004). */
const begin = '[200~';
const end = '[201~';
/** Limit of a paste in characters, above any message's limit; the rest is dropped. */
const max_paste = 1_000_000;

/** Converts chunks of input to key names. A paste becomes one key. */
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
    // A paste without an end mark must not swallow the quit key.
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

/** Flags of a key as ink reports them. */
export interface InkKey {
  upArrow: boolean;
  downArrow: boolean;
  leftArrow: boolean;
  rightArrow: boolean;
  pageUp: boolean;
  pageDown: boolean;
  home: boolean;
  end: boolean;
  return: boolean;
  escape: boolean;
  tab: boolean;
  shift: boolean;
  ctrl: boolean;
  meta: boolean;
  backspace: boolean;
  delete: boolean;
}

const special: readonly (readonly [keyof InkKey, string])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pgup'],
  ['pageDown', 'pgdn'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'esc'],
  ['backspace', 'backspace'],
  ['delete', 'delete'],
];

const controls: Readonly<Record<string, string>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\t': 'tab',
  '\u001B': 'esc',
  '\u007F': 'backspace',
  '\b': 'backspace',
};

/** Returns the key names in one chunk of input: fast typing arrives as one chunk. */
function keyNames(input: string, key: InkKey): string[] {
  if (key.tab) return [key.shift ? 'shift-tab' : 'tab'];
  const found = special.find(([flag]) => key[flag]);
  if (found) return [found[1]];
  if (key.ctrl) return input === '' ? [] : [`ctrl-${input}`];
  // Alt combinations are not text.
  if (key.meta) return [];
  return Array.from(input).flatMap(nameOf);
}

function nameOf(character: string): string[] {
  const control = controls[character];
  if (control !== undefined) return [control];
  const code = character.codePointAt(0) ?? 0;
  if (code > 0 && code < 27) return [`ctrl-${String.fromCharCode(code + 96)}`];
  return code < 32 ? [] : [character];
}

/** Dispatches keys one by one, so that the effect of each is drawn before the next. */
export class KeyQueue {
  readonly #press: (key: string) => void;
  readonly #keys: string[] = [];
  #isRunning = false;

  constructor(press: (key: string) => void) {
    this.#press = press;
  }

  add(keys: readonly string[]): void {
    this.#keys.push(...keys);
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#next();
  }

  #next(): void {
    const key = this.#keys.shift();
    if (key === undefined) {
      this.#isRunning = false;
      return;
    }
    this.#press(key);
    // React draws changes in the turn after the next.
    setImmediate(() => setImmediate(() => this.#next()));
  }
}
