import type { RunningText } from '../kernel/contract/manifest.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { asTyped } from './invocation.js';
import { linesFor } from './remark.js';
import { StreamWrap } from './stream-wrap.js';
import { coloured, harmless, type Terminal } from './terminal.js';
import { ToolLines } from './tool-lines.js';

/** Shows a stream as it comes: its text on standard output, and on standard error, in lines, what is told beside it. */
export class StreamView {
  readonly #text: Text;
  readonly #tools: ToolLines | undefined;
  readonly #aside: string | undefined;
  readonly #terminal: Terminal;
  /** Breaks answers on a terminal. The output of a program, and a pipe, have none. */
  readonly #wrap: StreamWrap | undefined;
  /** Breaks the aside that is being written. */
  #asideWrap: StreamWrap | undefined;
  /** What was written last on a terminal's line that hasn't ended. */
  #open: 'text' | 'aside' | undefined;

  constructor(hint: RunningText, terminal: Terminal) {
    this.#text = new Text(hint);
    this.#tools = hint.tools === true ? new ToolLines(terminal.stderr.columns || 80) : undefined;
    this.#aside = coloured(terminal) && terminal.stderr.isTTY ? hint.aside : undefined;
    this.#terminal = terminal;
    this.#wrap = hint.tools === true && terminal.stdout.isTTY ? new StreamWrap(terminal.stdout.columns || 80) : undefined;
  }

  take(event: StreamEvent): void {
    const piece = this.#text.take(event);
    if (piece !== '') this.#write(piece);
    if (event.type === this.#aside) this.#writeAside(event);
    for (const line of this.#tools?.take(event) ?? []) this.#writeLine(this.#dimmed(line));
    const notice = this.#text.notice(event);
    if (notice !== undefined) this.line(asTyped(notice, this.#terminal));
  }

  /** Writes a text on lines of its own beside the answer. */
  line(text: string): void {
    for (const line of linesFor(text, this.#terminal)) this.#writeLine(line);
  }

  /** Whether what it tells of has failed. */
  failed(event: StreamEvent): boolean {
    return this.#text.failed(event);
  }

  /** Ends the last line. */
  end(): void {
    if (this.#open === 'aside') this.breakLine();
    this.#terminal.stdout.write((this.#wrap?.end() ?? '') + this.#text.end());
    this.#open = undefined;
  }

  /** Has what is written next on a terminal begin a line. A pipe's text is left as it is. */
  breakLine(): void {
    const { stdout, stderr } = this.#terminal;
    if (this.#open === 'aside') stderr.write(`${this.#dimmed(this.#asideWrap?.end() ?? '')}\n`);
    else if (this.#open === 'text' && stdout.isTTY && stderr.isTTY) stdout.write(this.#wrap?.take('\n') ?? '\n');
    this.#open = undefined;
  }

  #write(piece: string): void {
    if (this.#open === 'aside') this.breakLine();
    this.#terminal.stdout.write(this.#wrap?.take(piece) ?? piece);
    this.#open = piece.endsWith('\n') ? undefined : 'text';
  }

  #writeAside({ data }: StreamEvent): void {
    const text = harmless(String((data as { delta?: unknown }).delta ?? ''));
    if (text === '') return;
    if (this.#open === 'text') this.breakLine();
    if (this.#open === undefined) this.#asideWrap = new StreamWrap(this.#terminal.stderr.columns || 80);
    this.#terminal.stderr.write(this.#dimmed(this.#asideWrap?.take(text) ?? text));
    this.#open = text.endsWith('\n') ? undefined : 'aside';
  }

  #writeLine(line: string): void {
    this.breakLine();
    this.#terminal.stderr.write(`${line}\n`);
  }

  #dimmed(text: string): string {
    return text !== '' && coloured(this.#terminal) && this.#terminal.stderr.isTTY ? `\u001B[2m${text}\u001B[22m` : text;
  }
}

/** Makes one text of a stream's events; gives what each event adds to what was written. */
export class Text {
  readonly #hint: RunningText;
  #written = '';

  constructor(hint: RunningText) {
    this.#hint = hint;
  }

  take({ type, data }: StreamEvent): string {
    if (type === this.#hint.delta) return this.#add(String((data as { delta?: unknown }).delta ?? ''));
    const whole = at(data, this.#hint.whole);
    if (typeof whole !== 'string' || whole === this.#written) return '';
    if (whole.startsWith(this.#written)) return this.#add(whole.slice(this.#written.length));
    // It was replaced by another one, which starts on a line of its own.
    this.#written = '';
    return `\n${this.#add(whole)}`;
  }

  /** What is to be told beside the text, on a line of its own; undefined where nothing is. */
  notice({ type, data }: StreamEvent): string | undefined {
    const template = this.#hint.notices?.[type];
    return template?.replace(/\{([\w.]+)\}/g, (_match, path: string) => harmless(String(at(data, path) ?? '')));
  }

  /** Whether what it tells of has failed. */
  failed({ data }: StreamEvent): boolean {
    const { status } = this.#hint;
    return status !== undefined && status in data && at(data, status) !== 0;
  }

  /** Ends the last line. */
  end(): string {
    return this.#written === '' || this.#written.endsWith('\n') ? '' : '\n';
  }

  #add(text: string): string {
    this.#written += text;
    return harmless(text);
  }
}

function at(data: object, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null | undefined)?.[key], data);
}
