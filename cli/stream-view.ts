import type { RunningText } from '../kernel/contract/manifest.js';
import type { StreamEvent } from '../kernel/contract/operation.js';
import { asTyped } from './invocation.js';
import { type MarkdownOutput, openMarkdownOutput } from './markdown-output.js';
import { linesFor } from './remark.js';
import { StreamWrap } from './stream-wrap.js';
import { cell } from './table.js';
import { coloured, harmless, type Terminal } from './terminal.js';
import { ToolLines } from './tool-lines.js';

/** Events that a text doesn't continue after: it is shown as far as it goes before they are. */
const endsText = /^(tool|approval)\.|^reasoning\.delta$/;

/** Returns the view of a stream. On a terminal, replies of AI employees are formatted as Markdown; output of programs stays as it is. */
export async function openStreamView(hint: RunningText, terminal: Terminal): Promise<StreamView> {
  const isReply = hint.tools === true;
  return new StreamView(hint, terminal, isReply && terminal.stdout.isTTY ? await openMarkdownOutput(terminal) : undefined);
}

/** Shows a stream as it arrives: its text on standard output, notices and tool calls as lines on standard error. */
export class StreamView {
  readonly #hint: RunningText;
  #text: StreamText;
  readonly #tools: ToolLines | undefined;
  readonly #aside: string | undefined;
  readonly #terminal: Terminal;
  /** Formats replies on a terminal; undefined for a pipe and for the output of a program. */
  readonly #markdown: MarkdownOutput | undefined;
  /** Wraps the current aside. */
  #asideWrap: StreamWrap | undefined;
  /** The kind of text on a terminal's unfinished line. */
  #open: 'text' | 'aside' | undefined;

  constructor(hint: RunningText, terminal: Terminal, markdown?: MarkdownOutput) {
    this.#hint = hint;
    this.#text = new StreamText(hint);
    this.#tools = hint.tools === true ? new ToolLines(terminal.stderr.columns || 80) : undefined;
    this.#aside = coloured(terminal) && terminal.stderr.isTTY ? hint.aside : undefined;
    this.#terminal = terminal;
    this.#markdown = markdown;
  }

  take(event: StreamEvent): void {
    const piece = this.#text.take(event);
    if (piece !== '') this.#write(piece);
    if (endsText.test(event.type)) this.#writeText(this.#markdown?.end() ?? '');
    if (event.type === this.#aside) this.#writeAside(event);
    for (const line of this.#tools?.take(event) ?? []) this.#writeLine(this.#dimmed(line));
    const notice = this.#text.notice(event);
    if (notice !== undefined) this.line(asTyped(notice, this.#terminal));
  }

  /** Begins the text of another sender, below the sender's name. */
  begin(name: string): void {
    this.end();
    this.#text = new StreamText(this.#hint);
    this.#terminal.stdout.write(`${cell(name)}:\n`);
  }

  /** Writes a text to standard error, on lines of its own. */
  line(text: string): void {
    for (const line of linesFor(text, this.#terminal)) this.#writeLine(line);
  }

  /** Returns whether the event reports a failure. */
  failed(event: StreamEvent): boolean {
    return this.#text.failed(event);
  }

  /** Ends the last line. */
  end(): void {
    if (this.#open === 'aside') this.breakLine();
    this.#terminal.stdout.write(this.#markdown?.end() ?? this.#text.end());
    this.#open = undefined;
  }

  /** Makes the next text on a terminal start a new line. A pipe's text stays as it is. */
  breakLine(): void {
    const { stdout, stderr } = this.#terminal;
    if (this.#open === 'aside') stderr.write(`${this.#dimmed(this.#asideWrap?.end() ?? '')}\n`);
    else if (this.#open === 'text' && stdout.isTTY && stderr.isTTY) stdout.write('\n');
    this.#open = undefined;
  }

  #write(piece: string): void {
    this.#writeText(this.#markdown?.take(piece) ?? piece);
  }

  #writeText(text: string): void {
    if (text === '') return;
    if (this.#open === 'aside') this.breakLine();
    this.#terminal.stdout.write(text);
    this.#open = text.endsWith('\n') ? undefined : 'text';
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

/** Assembles one text from a stream's events; returns what each event adds to it. */
export class StreamText {
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
    // Another text replaced it; the new one starts on a line of its own.
    this.#written = '';
    return `\n${this.#add(whole)}`;
  }

  /** Returns the notice for an event, written on a line of its own; undefined if there is none. */
  notice({ type, data }: StreamEvent): string | undefined {
    const template = this.#hint.notices?.[type];
    return template?.replace(/\{([\w.]+)\}/g, (_match, path: string) => harmless(String(at(data, path) ?? '')));
  }

  /** Returns whether the event reports a failure. */
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
