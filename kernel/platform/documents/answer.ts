import type { DocumentText, OutlineEntry, UnreadableDocument } from '../../contract/documents.js';
import { answer_bytes, max_headings, max_pages, title_length } from './limits.js';
import { isRefusalCode, type RefusalCode, reasons } from './refusal.js';

/** A line that a process writes: its start, a page, and its end with an outline or a refusal. */
export type AnswerLine =
  | { started: true }
  | { page: string }
  | { outline: readonly OutlineEntry[]; is_cut: boolean }
  | { refused: RefusalCode };

export type Answer = DocumentText | UnreadableDocument;

const newline = 0x0a;

/** Reads the output of a process, and trusts none of it, because a document may have taken over the process. */
export class AnswerReader {
  readonly #pages: string[] = [];
  #started = false;
  #answer: Answer | undefined;
  #bytes = 0;
  #rest: Buffer[] = [];

  /** Whether the process has read the document's bytes. */
  get started(): boolean {
    return this.#started;
  }

  /** The answer; undefined until it is complete. */
  get answer(): Answer | undefined {
    return this.#answer;
  }

  /** Takes bytes of the pipe. Returns false if they are not part of a valid answer. */
  take(piece: Buffer): boolean {
    this.#bytes += piece.length;
    if (this.#bytes > answer_bytes || this.#answer !== undefined) return false;
    let start = 0;
    for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
      const line = Buffer.concat([...this.#rest, piece.subarray(start, end)]);
      this.#rest = [];
      start = end + 1;
      if (!this.#takeLine(line)) return false;
    }
    this.#rest.push(piece.subarray(start));
    return true;
  }

  #takeLine(bytes: Buffer): boolean {
    const line = parsed(bytes);
    if (this.#answer !== undefined || line === undefined) return false;
    if (line.started === true) this.#started = true;
    else if (typeof line.page === 'string' && this.#pages.length < max_pages) this.#pages.push(line.page);
    else if (isRefusalCode(line.refused)) this.#answer = { reason: reasons[line.refused] };
    else if (isOutline(line.outline, this.#pages.length) && typeof line.is_cut === 'boolean')
      this.#answer = { pages: this.#pages, outline: line.outline, is_cut: line.is_cut };
    else return false;
    return true;
  }
}

function parsed(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function isOutline(value: unknown, pages: number): value is OutlineEntry[] {
  return Array.isArray(value) && value.length <= max_headings && value.every((entry) => isEntry(entry, pages));
}

function isEntry(value: unknown, pages: number): value is OutlineEntry {
  const { title, page, ...others } = (value ?? {}) as Partial<OutlineEntry>;
  const isTitle = typeof title === 'string' && title.length <= title_length;
  return isTitle && Number.isInteger(page) && (page as number) >= 1 && (page as number) <= pages && Object.keys(others).length === 0;
}
