import { type HtmlHandler, parseHtml } from './html-parser.js';
import type { Pages } from './pages.js';
import { decodeText } from './plain-text.js';

/** Elements whose content no reader sees. */
const skipped: ReadonlySet<string> = new Set(['script', 'style', 'template', 'svg']);
/** Elements within a line. All others begin and end one. */
const inline: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'image', 'img', 'ins'],
  ...['kbd', 'label', 'mark', 'math', 'meter', 'output', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span', 'strike', 'strong', 'sub'],
  ...['sup', 'time', 'tt', 'u', 'var', 'wbr', 'td', 'th', 'input', 'button', 'select', 'mi', 'mn', 'mo', 'mrow'],
]);
const heading = /^h[1-6]$/;
/** Bytes that are searched for the declaration of an encoding. Pages with long scripts have it late. */
const sniffed_bytes = 65_536;
/** Matches the declaration of an encoding in HTML or XML. */
const declaration = /<(?:meta[^>]{1,500}charset|\?xml[^>]{1,500}encoding)\s*=\s*["']?([\w-]{1,40})/i;
/** Matches encodings in which the declaration itself could not be read (HTML Standard, 13.2.3.3). */
const wide = /^utf-?(?:16|32)/i;
/** Length from which a line is cut, so that pages are written while a long one is read. */
const max_line_length = 16_000;

/** Reads HTML. Nothing that it refers to is fetched, and no script runs. */
export function readHtml(bytes: Buffer, pages: Pages): void {
  const start = bytes.toString('latin1', 0, sniffed_bytes);
  const [, declared] = declaration.exec(start) ?? [];
  addHtml(decodeText(bytes, wide.test(declared ?? '') ? undefined : declared), pages);
}

/** Adds the text of HTML. */
export function addHtml(html: string, pages: Pages): void {
  const text = new HtmlText(pages);
  parseHtml(html, text);
  text.endLine();
}

class HtmlText implements HtmlHandler {
  readonly #pages: Pages;
  readonly #line = new Line();
  /** Depth of open elements without text, and of preformatted ones. */
  #skipping = 0;
  #preformatted = 0;
  #isHeading = false;

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  begin(name: string): void {
    if (skipped.has(name)) this.#skipping += 1;
    if (!inline.has(name)) this.endLine();
    if (name === 'pre') this.#preformatted += 1;
    if (heading.test(name)) this.#isHeading = true;
    if (name === 'li') this.#line.append('- ');
    if ((name === 'td' || name === 'th') && this.#line.length > 0) this.#line.separate('\t');
  }

  text(piece: string): void {
    if (this.#skipping > 0) return;
    if (this.#preformatted > 0) this.#appendPreformatted(piece);
    else this.#append(piece);
    if (this.#line.length > max_line_length) this.endLine();
  }

  end(name: string): void {
    if (!inline.has(name)) this.endLine();
    if (skipped.has(name)) this.#skipping -= 1;
    if (name === 'pre') this.#preformatted -= 1;
    if (heading.test(name)) this.#isHeading = false;
  }

  stray(name: string): void {
    if (!inline.has(name)) this.endLine();
  }

  endLine(): void {
    const line = this.#line.take().trimEnd();
    if (line === '' || line === '-') return;
    if (this.#isHeading) this.#pages.addHeading(line);
    else this.#pages.add(line);
  }

  #append(piece: string): void {
    const text = piece.replace(/[ \t\r\n\f]+/g, ' ');
    this.#line.append(['', ' ', '\t'].includes(this.#line.last) ? text.trimStart() : text);
  }

  #appendPreformatted(piece: string): void {
    const [first = '', ...others] = piece.split('\n');
    this.#line.append(first);
    for (const other of others) {
      this.endLine();
      this.#line.append(other);
    }
  }
}

/** A line in pieces: looking at the end of a joined text would take time in proportion to its length. */
class Line {
  #pieces: string[] = [];
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The last character; empty if there is none. */
  get last(): string {
    return this.#pieces.at(-1)?.at(-1) ?? '';
  }

  append(piece: string): void {
    if (piece === '') return;
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  /** Replaces the white space at the end. */
  separate(mark: string): void {
    for (let last = this.#pieces.pop(); last !== undefined; last = this.#pieces.pop()) {
      const rest = last.trimEnd();
      this.#length -= last.length;
      this.append(rest);
      if (rest !== '') break;
    }
    this.append(mark);
  }

  /** Returns the line, and begins another one. */
  take(): string {
    const line = this.#pieces.join('');
    this.#pieces = [];
    this.#length = 0;
    return line;
  }
}
