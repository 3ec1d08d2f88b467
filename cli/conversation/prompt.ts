import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';
import { Interrupted } from '../exit.js';
import type { Terminal } from '../terminal.js';

/** Lines that come within it are one message: somebody has pasted them. */
const pasted_ms = 20;
const max_history = 500;

/** Passes on what the line editor writes, while somebody is asked; what is typed meanwhile is shown with the next prompt. */
class Gate extends Writable {
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

/** Where a person types. It has the keyboard from its beginning to its end, so that each key goes to one place. */
export class Prompt {
  readonly #gate: Gate;
  readonly #reader: Interface;
  readonly #interrupt: () => void;
  #lines: string[] = [];
  #messages: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #asker: { resolve(message: string | undefined): void; reject(fault: unknown): void } | undefined;
  #isClosed = false;

  /** @param interrupt called where Ctrl-C is pressed while nobody is asked for anything. */
  constructor({ stdin, stdout }: Terminal, interrupt: () => void) {
    this.#gate = new Gate(stdout);
    this.#interrupt = interrupt;
    this.#reader = createInterface({ input: stdin, output: this.#gate, terminal: true, prompt: '> ', historySize: max_history });
    this.#reader.on('line', (line) => this.#take(line));
    this.#reader.on('SIGINT', () => this.#interrupted());
    this.#reader.on('close', () => this.#closed());
  }

  /** The next message; undefined at its end (Ctrl-D). Fails with {@link Interrupted} where Ctrl-C is pressed on an empty line. */
  async read(): Promise<string | undefined> {
    const waiting = this.#messages.shift();
    if (waiting !== undefined || this.#isClosed) return waiting;
    this.#gate.isOpen = true;
    this.#reader.prompt(true);
    try {
      return await new Promise((resolve, reject) => (this.#asker = { resolve, reject }));
    } finally {
      this.#asker = undefined;
      this.#gate.isOpen = false;
    }
  }

  /** Asks for a line; empty where the input has ended. What was half typed before is no part of it, and there again afterwards. Fails when the signal aborts. */
  async ask(question: string, signal: AbortSignal): Promise<string> {
    if (this.#isClosed) return '';
    const typed = this.#reader.line;
    this.#clear();
    const answered = new AbortController();
    this.#gate.isOpen = true;
    try {
      return await new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => this.#giveUp(reject, signal.reason), { once: true, signal: answered.signal });
        once(this.#reader, 'close', { signal: answered.signal }).then(
          () => resolve(''),
          () => undefined,
        );
        this.#reader.question(question, { signal }, resolve);
      });
    } finally {
      answered.abort();
      this.#gate.isOpen = false;
      if (!this.#isClosed) this.#reader.write(typed);
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#reader.close();
    this.#gate.destroy();
  }

  #take(line: string): void {
    this.#lines.push(line);
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#complete(), pasted_ms);
  }

  #complete(): void {
    if (this.#lines.length === 0) return;
    const message = this.#lines.join('\n');
    this.#lines = [];
    if (this.#asker) this.#asker.resolve(message);
    else this.#messages.push(message);
  }

  #interrupted(): void {
    if (this.#asker === undefined) this.#interrupt();
    else if (this.#reader.line === '') this.#asker.reject(new Interrupted());
    else this.#clear();
  }

  /** As shells do: the line is given up. */
  #clear(): void {
    this.#reader.write(null, { ctrl: true, name: 'e' });
    this.#reader.write(null, { ctrl: true, name: 'u' });
  }

  /** What is told next stands on a line of its own. */
  #giveUp(reject: (reason: unknown) => void, reason: unknown): void {
    if (!this.#isClosed) this.#gate.write('\n');
    reject(reason);
  }

  #closed(): void {
    this.#isClosed = true;
    this.#complete();
    this.#asker?.resolve(undefined);
  }
}
