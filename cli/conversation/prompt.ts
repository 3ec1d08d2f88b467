import { once } from 'node:events';
import { clearScreenDown, createInterface, cursorTo, type Interface, moveCursor } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted } from '../exit.js';
import type { Terminal } from '../terminal.js';
import type { LineCompleter } from './line-completion.js';

/** Lines that arrive within this time form one message: they were pasted. */
const paste_ms = 20;
const max_history = 500;

/** Passes the line editor's output on while a prompt is open; other input is shown with the next prompt. */
class SwitchableOutput extends Writable {
  isOpen = false;
  readonly #to: Terminal['stdout'];

  constructor(to: Terminal['stdout']) {
    super({ decodeStrings: false });
    this.#to = to;
    to.on('resize', this.#resized);
  }

  get columns(): number {
    return this.#to.columns;
  }

  override _write(piece: string, _encoding: string, done: () => void): void {
    if (this.isOpen) this.#to.write(piece);
    done();
  }

  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    this.#to.off('resize', this.#resized);
    done(fault);
  }

  readonly #resized = () => this.emit('resize');
}

/** Reads what a person types. It owns the keyboard for its whole life, so that each key has one reader. */
export class Prompt {
  readonly #terminalOutput: Terminal['stdout'];
  readonly #output: SwitchableOutput;
  readonly #reader: Interface;
  readonly #interrupt: () => void;
  #lines: string[] = [];
  #messages: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #pendingRead: { resolve(message: string | undefined): void; reject(fault: unknown): void } | undefined;
  #isClosed = false;
  /** Whether a question waits for an answer. */
  #isAsking = false;
  #completer: LineCompleter | undefined;

  /** @param interrupt called if Ctrl-C is pressed while no prompt is open. */
  constructor({ stdin, stdout }: Terminal, interrupt: () => void) {
    this.#terminalOutput = stdout;
    this.#output = new SwitchableOutput(stdout);
    this.#interrupt = interrupt;
    this.#reader = createInterface({
      input: stdin,
      output: this.#output,
      terminal: true,
      prompt: '> ',
      historySize: max_history,
      completer: (before: string, done: (fault: null, found: [string[], string]) => void) => void this.#completions(before, done),
    });
    this.#reader.on('line', (line) => this.#take(line));
    this.#reader.on('SIGINT', () => this.#interrupted());
    this.#reader.on('close', () => this.#closed());
  }

  /** Reads the next message; undefined at the end of input (Ctrl-D). Throws {@link Interrupted} on Ctrl-C in an empty line. */
  async read(): Promise<string | undefined> {
    const waiting = this.#messages.shift();
    if (waiting !== undefined || this.#isClosed) return waiting;
    this.#output.isOpen = true;
    this.#reader.prompt(true);
    try {
      return await new Promise((resolve, reject) => (this.#pendingRead = { resolve, reject }));
    } finally {
      this.#pendingRead = undefined;
      this.#output.isOpen = false;
    }
  }

  /** Asks for a line; empty at the end of input. A half-typed line is put aside and restored afterwards. Rejects when the signal aborts. */
  async ask(question: string, signal: AbortSignal): Promise<string> {
    if (this.#isClosed) return '';
    const typed = this.#reader.line;
    this.#clear();
    if (this.#pendingRead) this.#eraseInput();
    this.#isAsking = true;
    const answered = new AbortController();
    this.#output.isOpen = true;
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => this.#rejectQuestion(reject, signal.reason), { once: true, signal: answered.signal });
        once(this.#reader, 'close', { signal: answered.signal }).then(
          () => resolve(''),
          () => undefined,
        );
        this.#reader.question(question, { signal }, resolve);
      });
    } finally {
      answered.abort();
      this.#isAsking = false;
      this.#output.isOpen = this.#pendingRead !== undefined;
      if (!this.#isClosed && this.#output.isOpen) this.#reader.prompt(true);
      if (!this.#isClosed) this.#reader.write(typed);
    }
  }

  /** Sets how a tab completes messages from now on. */
  completeWith(completer: LineCompleter): void {
    this.#completer = completer;
  }

  /** Writes lines, each ended, above the line that is being typed. */
  above(lines: string): void {
    if (lines === '') return;
    const isOpen = this.#output.isOpen && !this.#isClosed;
    if (isOpen) this.#eraseInput();
    this.#terminalOutput.write(lines);
    if (isOpen) this.#reader.prompt(true);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#reader.close();
    this.#output.destroy();
  }

  #take(line: string): void {
    this.#lines.push(line);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#complete(), paste_ms);
  }

  #complete(): void {
    if (this.#lines.length === 0) return;
    const message = this.#lines.join('\n');
    this.#lines = [];
    if (this.#pendingRead) this.#pendingRead.resolve(message);
    else this.#messages.push(message);
  }

  #interrupted(): void {
    if (this.#pendingRead === undefined) this.#interrupt();
    else if (this.#reader.line === '') this.#pendingRead.reject(new Interrupted());
    else this.#clear();
  }

  /** Completes the text before the cursor; a tab is text if there is nothing to complete. */
  async #completions(before: string, done: (fault: null, found: [string[], string]) => void): Promise<void> {
    const completing = this.#isAsking ? undefined : this.#completer?.(before);
    if (completing === undefined) return done(null, [['\t'], '']);
    const { word = '', matches = [], more = 0 } = (await completing.catch(() => undefined)) ?? {};
    done(null, [more > 0 ? [...matches, `(${more} more)`] : matches, word]);
  }

  /** Erases the prompt and the text behind it from the screen; they stay in the line editor. */
  #eraseInput(): void {
    const { rows } = this.#reader.getCursorPos();
    moveCursor(this.#output, 0, -rows);
    cursorTo(this.#output, 0);
    clearScreenDown(this.#output);
    // Rows that the line editor would go up before it draws again. The property is not documented.
    Object.assign(this.#reader, { prevRows: 0 });
  }

  /** Discards the line, as shells do. */
  #clear(): void {
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
  }

  /** Rejects the question; the next message starts on a line of its own. */
  #rejectQuestion(reject: (reason: unknown) => void, reason: unknown): void {
    if (!this.#isClosed) this.#output.write('\n');
    reject(reason);
  }

  #closed(): void {
    this.#isClosed = true;
    this.#complete();
    this.#pendingRead?.resolve(undefined);
  }
}
