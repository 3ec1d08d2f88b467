import type { OutlineEntry } from '../../contract/documents.js';
import { max_characters, max_headings, max_pages, page_length, title_length } from './limits.js';

/** Thrown when a document exceeds the limits of its text. The pages that were written before stay. */
export class Full extends Error {
  constructor() {
    super('No more text is taken');
  }
}

/**
 * Matches control characters except for line breaks and tabs, and marks from which models read letters that people don't see: tags and rows of
 * variation selectors.
 */
const invisible = /(?![\n\t])\p{Cc}|[\u{E0000}-\u{E007F}]|\p{Variation_Selector}{2,}/gu;

/** Cuts text into pages, and records the page of each heading. Writes each page as soon as it is complete. */
export class Pages {
  readonly #outline: OutlineEntry[] = [];
  readonly #write: (page: string) => void;
  readonly #max_characters: number;
  #lines: string[] = [];
  #length = 0;
  #pages = 0;
  #characters = 0;
  #hasText = false;

  constructor(write: (page: string) => void, max = max_characters) {
    this.#write = write;
    this.#max_characters = max;
  }

  /** The headings on written pages; a document may be cut before the others. */
  get outline(): readonly OutlineEntry[] {
    return this.#outline.filter(({ page }) => page <= this.#pages);
  }

  /** Whether any page has text. */
  get hasText(): boolean {
    return this.#hasText;
  }

  /** Adds a line, a paragraph or a row; an empty one separates. Cuts it if it is longer than a page. */
  add(text: string): void {
    const plain = clean(text);
    if (plain.length <= page_length) this.#put(plain);
    else for (const part of parts(plain)) this.#put(part);
  }

  /** Adds a heading to the text, as `line`, and to the outline. Begins a new page if this one is more than half full. */
  addHeading(title: string, line = title): void {
    const plain = clean(line).slice(0, page_length);
    if (this.#length > page_length / 2 || this.#length + plain.length >= page_length) this.flush();
    this.addOutlineEntry(title, this.#pages + 1);
    this.#put(plain);
  }

  /** Ends the current page, if anything is on it. */
  flush(): void {
    const text = this.#lines.join('\n').trimEnd();
    this.#lines = [];
    this.#length = 0;
    if (text !== '') this.#writePage(text);
  }

  /** Writes a page that the document itself has, such as a slide. Its title becomes a heading of the outline. */
  addPage(text: string, title?: string): void {
    this.flush();
    if (title !== undefined) this.addOutlineEntry(title, this.#pages + 1);
    this.#writePage(clean(text).trimEnd());
  }

  /** Adds a heading of any page to the outline, but not to the text. */
  addOutlineEntry(title: string, page: number): void {
    const plain = clean(title).replace(/\s+/g, ' ').trim().slice(0, title_length).toWellFormed();
    if (plain !== '' && this.#outline.length < max_headings) this.#outline.push({ title: plain, page });
  }

  #put(line: string): void {
    if (line === '' && this.#lines.length === 0) return;
    if (this.#length > 0 && this.#length + line.length >= page_length) this.flush();
    this.#lines.push(line);
    this.#length += line.length + 1;
  }

  #writePage(text: string): void {
    const left = this.#max_characters - this.#characters;
    if (this.#pages === max_pages || left <= 0) throw new Full();
    const taken = text.length > left ? text.slice(0, left).toWellFormed() : text;
    this.#characters += taken.length;
    this.#pages += 1;
    this.#hasText ||= /\S/.test(taken);
    this.#write(taken);
    if (taken.length < text.length) throw new Full();
  }
}

/** Removes invisible characters, and unifies line breaks. */
function clean(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(invisible, '').toWellFormed();
}

/** Cuts text into parts that fit a page: at the end of a line, a sentence or a word, if there is one in the second half. */
function* parts(text: string): Generator<string> {
  let rest = text;
  while (rest.length > page_length) {
    const end = endOf(rest.slice(0, page_length));
    yield rest.slice(0, end).trimEnd();
    rest = rest.slice(end).trimStart();
  }
  yield rest;
}

function endOf(piece: string): number {
  for (const mark of ['\n', '. ', '。', ' ']) {
    const at = piece.lastIndexOf(mark);
    if (at > page_length / 2) return at + mark.length;
  }
  // Never between the halves of a character.
  return /[\uD800-\uDBFF]$/.test(piece) ? piece.length - 1 : piece.length;
}
