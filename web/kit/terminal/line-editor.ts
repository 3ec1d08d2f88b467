export interface LineEditorParts {
  /** Writes to the terminal. */
  write: (text: string) => void;
  columns: () => number;
  /** Gets the line that was entered. */
  done: (line: string) => void;
  /** Called for Control and C while no line is asked for. */
  interrupt: () => void;
}

const escape_key = '\u001b';
const bell = '\u0007';
const max_history = 200;
const max_waiting = 10_000;

/** Lets a person type a line in a terminal whose other end knows no keys, with the keys that shells have (GNU Readline's defaults). */
export class LineEditor {
  readonly #parts: LineEditorParts;
  #prompt = '';
  #letters: string[] = [];
  #caret = 0;
  #isAsking = false;
  /** Text typed or pasted while no line was asked for. */
  #waiting = '';
  readonly #history: string[] = [];
  #recalled = 0;

  constructor(parts: LineEditorParts) {
    this.#parts = parts;
  }

  /** Asks for a line. The prompt is plain text: its cells are counted. */
  ask(prompt: string): void {
    this.#prompt = prompt;
    this.#letters = [];
    this.#caret = 0;
    this.#recalled = this.#history.length;
    this.#isAsking = true;
    this.#parts.write(prompt);
    const waiting = this.#waiting;
    this.#waiting = '';
    if (waiting !== '') this.type(waiting);
  }

  /** Whether a line is asked for. */
  get isAsking(): boolean {
    return this.#isAsking;
  }

  /** Takes typed or pasted text. Text that comes while no line is asked for is typed into the next one, as in a shell. */
  type(text: string): void {
    const typed = text.replaceAll('\r\n', '\r').match(token) ?? [];
    for (const [place, part] of typed.entries()) {
      if (this.#isAsking) this.#take(part);
      else if (keys[part] === 'interrupt') this.#drop();
      else {
        this.#waiting = (this.#waiting + typed.slice(place).join('')).slice(0, max_waiting);
        return;
      }
    }
  }

  /** Writes output while a line is being typed: the line goes, and comes back below. */
  around(write: () => void): void {
    const isAsking = this.#isAsking;
    if (isAsking) this.#erase();
    write();
    if (isAsking) this.#draw();
  }

  #take(part: string): void {
    const key = keys[part];
    if (key === 'enter') this.#enter();
    else if (key === 'interrupt') this.#again();
    else if (key !== undefined) this.#change(() => this.#edit(key));
    else if (part >= ' ') this.#insert(Array.from(part));
  }

  #insert(letters: readonly string[]): void {
    this.#change(() => {
      this.#letters.splice(this.#caret, 0, ...letters);
      this.#caret += letters.length;
    });
  }

  #edit(key: Exclude<Key, 'enter' | 'interrupt'>): void {
    const { length } = this.#letters;
    if (key === 'left') this.#caret = Math.max(this.#caret - 1, 0);
    else if (key === 'right') this.#caret = Math.min(this.#caret + 1, length);
    else if (key === 'home') this.#caret = 0;
    else if (key === 'end') this.#caret = length;
    else if (key === 'delete') this.#letters.splice(this.#caret, 1);
    else if (key === 'back') this.#remove(Math.max(this.#caret - 1, 0));
    else if (key === 'word-back') this.#remove(this.#wordStart());
    else if (key === 'start-back') this.#remove(0);
    else if (key === 'end-forward') this.#letters.length = this.#caret;
    else this.#recall(key === 'up' ? -1 : 1);
  }

  #remove(from: number): void {
    this.#letters.splice(from, this.#caret - from);
    this.#caret = from;
  }

  #wordStart(): number {
    const before = this.#letters.slice(0, this.#caret).join('');
    return Array.from(before.replace(/\S+\s*$/u, '')).length;
  }

  #recall(step: -1 | 1): void {
    const next = Math.min(Math.max(this.#recalled + step, 0), this.#history.length);
    this.#recalled = next;
    this.#letters = Array.from(this.#history[next] ?? '');
    this.#caret = this.#letters.length;
  }

  #enter(): void {
    const line = this.#letters.join('');
    this.#leave();
    if (line.trim() !== '' && this.#history.at(-1) !== line) this.#history.push(line);
    if (this.#history.length > max_history) this.#history.shift();
    this.#parts.done(line);
  }

  /** Gives the line up and begins another. */
  #again(): void {
    this.#leave('^C');
    this.ask(this.#prompt);
  }

  /** Interrupts the command, and drops the text typed ahead. */
  #drop(): void {
    this.#waiting = '';
    this.#parts.interrupt();
  }

  /** Moves below the line and ends the asking. */
  #leave(mark = ''): void {
    this.#change(() => {
      this.#caret = this.#letters.length;
    });
    this.#isAsking = false;
    this.#parts.write(`${mark}\r\n`);
  }

  #change(change: () => void): void {
    this.#erase();
    change();
    this.#draw();
  }

  /** Moves to where the prompt begins and clears what follows. */
  #erase(): void {
    const rows = this.#rowsTo(this.#caret);
    this.#parts.write(`${rows > 0 ? `\u001b[${rows}A` : ''}\r\u001b[J`);
  }

  #draw(): void {
    const after = this.#letters.slice(this.#caret).join('');
    this.#parts.write(this.#prompt + this.#letters.slice(0, this.#caret).join(''));
    // A row that is exactly full leaves the cursor on it until something follows.
    if (this.#cellsTo(this.#caret) % this.#parts.columns() === 0 && this.#caret > 0) this.#parts.write(' \r');
    if (after !== '') this.#parts.write(`\u001b7${after}\u001b8`);
  }

  #rowsTo(caret: number): number {
    return Math.floor(this.#cellsTo(caret) / this.#parts.columns());
  }

  #cellsTo(caret: number): number {
    const letters = [...Array.from(this.#prompt), ...this.#letters.slice(0, caret)];
    return letters.reduce((cells, letter) => cells + cellsOf(letter), 0);
  }
}

type Key =
  | 'enter'
  | 'interrupt'
  | 'left'
  | 'right'
  | 'up'
  | 'down'
  | 'home'
  | 'end'
  | 'back'
  | 'delete'
  | 'word-back'
  | 'start-back'
  | 'end-forward';

/** Sequences that terminals send for keys (ECMA-48, xterm). */
const keys: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'interrupt',
  '\u001b[D': 'left',
  '\u0002': 'left',
  '\u001b[C': 'right',
  '\u0006': 'right',
  '\u001b[A': 'up',
  '\u0010': 'up',
  '\u001b[B': 'down',
  '\u000e': 'down',
  '\u001b[H': 'home',
  '\u0001': 'home',
  '\u001b[F': 'end',
  '\u0005': 'end',
  '\u007f': 'back',
  '\b': 'back',
  '\u001b[3~': 'delete',
  '\u0017': 'word-back',
  '\u0015': 'start-back',
  '\u000b': 'end-forward',
};

/**
 * A key's sequence, another sequence (ECMA-48), a control character, or letters. Other sequences are the terminal's answers to questions that
 * output asks, and reports of a mouse: whoever writes the output must not type into the line (CVE-2003-0063).
 */
const token = new RegExp(
  `${escape_key}(?:\\[M[^]{3}|\\[[0-?]*[ -/]*[@-~]|O[A-Z]|[\\]PX^_][^${bell}${escape_key}]*(?:${bell}|${escape_key}\\\\))?|\\p{Cc}|\\P{Cc}+`,
  'gu',
);

const wide = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const combining = /\p{M}/u;

function cellsOf(letter: string): number {
  if (combining.test(letter)) return 0;
  return wide.test(letter) ? 2 : 1;
}
