import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { OpenElements } from './open-elements.js';

/** Receives the parts of a page. Names are in lower case. Each element that begins and isn't empty ends, at the latest with its parent. */
export interface HtmlHandler {
  begin(name: string): void;
  end(name: string): void;
  text(text: string): void;
  /** Called for an end tag without an element. */
  stray(name: string): void;
}

/** Elements without content and end tag (HTML Standard, 13.1.2), and older ones. */
const empty: ReadonlySet<string> = new Set([
  ...['area', 'base', 'basefont', 'br', 'col', 'command', 'embed', 'frame', 'hr', 'image', 'img', 'input', 'isindex', 'keygen', 'link'],
  ...['meta', 'param', 'source', 'track', 'wbr'],
]);
const ignore = () => undefined;

/** Parses HTML without building a tree, in time that is in proportion to its length. Unclosed elements and stray end tags are no faults. */
export function parseHtml(html: string, handler: HtmlHandler): void {
  const tokenizer = new Tokenizer({}, new HtmlTags(html, handler));
  tokenizer.write(html);
  tokenizer.end();
}

class HtmlTags implements TokenizerCallbacks {
  readonly #html: string;
  readonly #handler: HtmlHandler;
  readonly #open = new OpenElements();
  /** Name of the current tag, and whether it may end itself. */
  #name = '';
  #isForeign = false;
  readonly onattribdata = ignore;
  readonly onattribentity = ignore;
  readonly onattribend = ignore;
  readonly onattribname = ignore;
  readonly oncomment = ignore;
  readonly ondeclaration = ignore;
  readonly onend = ignore;
  readonly onopentagend = ignore;
  readonly onprocessinginstruction = ignore;

  constructor(html: string, handler: HtmlHandler) {
    this.#html = html;
    this.#handler = handler;
  }

  isInForeignContext(): boolean {
    return this.#open.isForeign;
  }

  ontext(start: number, end: number): void {
    this.#handler.text(this.#html.slice(start, end));
  }

  ontextentity(character: number): void {
    this.#handler.text(String.fromCodePoint(character));
  }

  oncdata(start: number, end: number, mark_length: number): void {
    if (this.#open.isForeign) this.ontext(start, end - mark_length);
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#nameAt(start, end);
    this.#handler.begin(this.#name);
    const isWithin = this.#open.isForeign;
    if (!empty.has(this.#name)) this.#open.begin(this.#name);
    this.#isForeign = isWithin || this.#open.isForeign;
  }

  onselfclosingtag(): void {
    if (this.#isForeign && this.#open.innermost === this.#name) this.#end(this.#name);
  }

  onclosetag(start: number, end: number): void {
    const name = this.#nameAt(start, end);
    if (this.#open.has(name)) this.#end(name);
    else this.#handler.stray(name);
  }

  #end(name: string): void {
    for (const ended of this.#open.end(name)) this.#handler.end(ended);
  }

  #nameAt(start: number, end: number): string {
    return this.#html.slice(start, end).toLowerCase();
  }
}
