import { Parser } from 'htmlparser2';
import type { Pages } from './pages.js';
import { decodeText } from './plain-text.js';

/** Elements whose content no reader sees. */
const skipped: ReadonlySet<string> = new Set(['script', 'style', 'template', 'svg']);
/** Elements within a line. All others begin and end one. */
const inline: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i', 'img', 'ins', 'kbd'],
  ...['label', 'mark', 'math', 'meter', 'output', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span', 'strike', 'strong', 'sub', 'sup'],
  ...['time', 'tt', 'u', 'var', 'wbr', 'td', 'th', 'input', 'button', 'select', 'mi', 'mn', 'mo', 'mrow'],
]);
const heading = /^h[1-6]$/;
/** Bytes that are searched for the declaration of an encoding. Pages with long scripts have it late. */
const sniffed_bytes = 65_536;
/** Matches the declaration of an encoding in HTML or XML. */
const declaration = /<(?:meta[^>]{1,500}charset|\?xml[^>]{1,500}encoding)\s*=\s*["']?([\w-]{1,40})/i;
/** Matches encodings in which the declaration itself could not be read (HTML Standard, 13.2.3.3). */
const wide = /^utf-?(?:16|32)/i;
/** Length at which a line is cut, because appending to it takes time in proportion to its length. */
const max_line_length = 16_000;

/** Reads HTML. Nothing that it refers to is fetched, and no script runs. */
export function readHtml(bytes: Buffer, pages: Pages): void {
  const start = bytes.toString('latin1', 0, sniffed_bytes);
  const [, declared] = declaration.exec(start) ?? [];
  addHtml(decodeText(bytes, wide.test(declared ?? '') ? undefined : declared), pages);
}

/** Adds the text of HTML. The parser builds no tree, so that nesting costs no stack. */
export function addHtml(html: string, pages: Pages): void {
  const text = new HtmlText(pages);
  const parser = new Parser({
    onopentagname: (name) => text.open(name),
    ontext: (piece) => text.text(piece),
    onclosetag: (name) => text.close(name),
  });
  parser.write(html);
  parser.end();
  text.endLine();
}

class HtmlText {
  readonly #pages: Pages;
  #line = '';
  /** Depth of open elements without text, and of preformatted ones. */
  #skipping = 0;
  #preformatted = 0;
  #isHeading = false;

  constructor(pages: Pages) {
    this.#pages = pages;
  }

  open(name: string): void {
    if (skipped.has(name)) this.#skipping += 1;
    if (!inline.has(name)) this.endLine();
    if (name === 'pre') this.#preformatted += 1;
    if (heading.test(name)) this.#isHeading = true;
    if (name === 'li') this.#line = '- ';
    if ((name === 'td' || name === 'th') && this.#line !== '') this.#line = `${this.#line.trimEnd()}\t`;
  }

  text(piece: string): void {
    if (this.#skipping > 0) return;
    if (this.#preformatted > 0) this.#appendPreformatted(piece);
    else this.#append(piece);
  }

  close(name: string): void {
    if (!inline.has(name)) this.endLine();
    if (skipped.has(name)) this.#skipping -= 1;
    if (name === 'pre') this.#preformatted -= 1;
    if (heading.test(name)) this.#isHeading = false;
  }

  endLine(): void {
    const line = this.#line.trimEnd();
    this.#line = '';
    if (line === '' || line === '-') return;
    if (this.#isHeading) this.#pages.addHeading(line);
    else this.#pages.add(line);
  }

  #append(piece: string): void {
    const text = piece.replace(/[ \t\r\n\f]+/g, ' ');
    this.#line += ['', ' ', '\t'].includes(this.#line.slice(-1)) ? text.trimStart() : text;
    if (this.#line.length > max_line_length) this.endLine();
  }

  #appendPreformatted(piece: string): void {
    const [first = '', ...others] = piece.split('\n');
    this.#line += first;
    for (const other of others) {
      this.endLine();
      this.#line = other;
    }
  }
}
