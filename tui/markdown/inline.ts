import type { Token } from 'markdown-it';
import { harmless } from '../../kernel/client/terminal-text.js';
import type { Run } from './fill.js';
import { isAddress } from './parser.js';

interface Link {
  href: string;
  text: string;
  /** Whether it is written as `<address>`: the parser's text for it is easier to read, but not the address. */
  isAuto: boolean;
}

/** Emphasis: its code with colours, its mark without. */
const emphases: Readonly<Record<string, { code: string; mark: string }>> = {
  strong: { code: '1', mark: '**' },
  em: { code: '3', mark: '*' },
  s: { code: '9', mark: '~~' },
};

const styles = { code: '36', link: '4', address: '2' } as const;

/** Returns the text of a block as runs. Without colours, marks stand for the style. A link's address follows its text. */
export function runsOf(tokens: readonly Token[], { color, codes = [] }: { color: boolean; codes?: readonly string[] }): Run[] {
  const writer = new InlineWriter(color, codes);
  for (const token of tokens) writer.take(token);
  return writer.runs;
}

class InlineWriter {
  readonly runs: Run[] = [];
  readonly #color: boolean;
  readonly #codes: string[];
  #link: Link | undefined;

  constructor(color: boolean, codes: readonly string[]) {
    this.#color = color;
    this.#codes = [...codes];
  }

  take(token: Token): void {
    const { type, content, nesting } = token;
    const emphasis = emphases[type.replace(/_(open|close)$/, '')];
    if (emphasis !== undefined) this.#emphasise(emphasis, nesting);
    else if (type === 'link_open') this.#openLink(token);
    else if (type === 'link_close') this.#closeLink();
    else if (type === 'softbreak' || type === 'hardbreak') this.runs.push({ text: '\n', codes: '' });
    else if (type === 'code_inline') this.#add(this.#color ? content : `\`${content}\``, styles.code);
    else if (type === 'image') this.#image(token);
    else this.#add(content);
  }

  #emphasise({ code, mark }: { code: string; mark: string }, nesting: number): void {
    if (!this.#color) this.#add(mark);
    else if (nesting > 0) this.#codes.push(code);
    else this.#codes.splice(this.#codes.lastIndexOf(code), 1);
  }

  #openLink(token: Token): void {
    this.#link = { href: harmless(String(token.attrGet('href') ?? '')), text: '', isAuto: token.info === 'auto' };
    if (this.#color) this.#codes.push(styles.link);
  }

  #closeLink(): void {
    const link = this.#link;
    if (link === undefined) return;
    this.#link = undefined;
    if (link.isAuto) this.#add(link.href.replace(/^mailto:/, ''));
    if (this.#color) this.#codes.splice(this.#codes.lastIndexOf(styles.link), 1);
    if (link.isAuto || isAddress(link.text, link.href)) return;
    this.#add(`${link.text === '' ? '' : ' '}(${link.href})`, styles.address);
  }

  #image(token: Token): void {
    this.#add(`[image${token.content === '' ? '' : `: ${token.content}`}]`);
    this.#add(` (${token.attrGet('src')})`, styles.address);
  }

  #add(text: string, code?: string): void {
    // Entities such as `&#x202E;` are decoded by the parser.
    const clean = harmless(text);
    if (this.#link?.isAuto === true) return;
    if (this.#link !== undefined) this.#link.text += clean;
    const codes = this.#color ? [...new Set([...this.#codes, ...(code === undefined ? [] : [code])])].join(';') : '';
    if (clean !== '') this.runs.push({ text: clean, codes });
  }
}
