import type { Emitter, HLJSOptions } from 'highlight.js';
import hljs from 'highlight.js/lib/common';

/** A piece of code: text, or pieces of one kind. */
export type CodeToken = string | { readonly className: string; readonly children: readonly CodeToken[] };

interface OpenToken {
  className: string;
  children: CodeToken[];
}

/** Gathers what the highlighter finds as tokens instead of HTML, which the page's policy lets nobody insert. */
class TokenEmitter implements Emitter {
  readonly root: OpenToken = { className: '', children: [] };
  readonly #open: OpenToken[] = [this.root];

  addText(text: string): void {
    if (text !== '') this.#top.children.push(text);
  }

  startScope(name: string): void {
    const token = { className: classOf(name), children: [] };
    this.#top.children.push(token);
    this.#open.push(token);
  }

  endScope(): void {
    if (this.#open.length > 1) this.#open.pop();
  }

  /** Takes over what another language within the code was found to be. */
  __addSublanguage(emitter: Emitter, name: string): void {
    const { children } = (emitter as TokenEmitter).root;
    this.#top.children.push(...(name === '' ? children : [{ className: '', children }]));
  }

  openNode(name: string): void {
    this.startScope(name);
  }

  closeNode(): void {
    this.endScope();
  }

  finalize(): void {
    this.#open.length = 1;
  }

  toHTML(): string {
    return '';
  }

  get #top(): OpenToken {
    return this.#open.at(-1) ?? this.root;
  }
}

/** `title.function` → `hljs-title function_`, as the highlighter's own HTML has it. */
function classOf(scope: string): string {
  const [first, ...others] = scope.split('.');
  return [`hljs-${first}`, ...others.map((other) => `${other}_`)].join(' ');
}

hljs.configure({ __emitter: TokenEmitter, classPrefix: 'hljs-' } as unknown as Partial<HLJSOptions>);

/** Code is coloured in pieces of this length: some texts take the highlighter more than linear time. */
const max_piece = 3_000;
/** A piece with a longer line stays plain. */
const max_line = 600;
/** After this time the rest stays plain. */
const max_ms = 100;

const longLine = new RegExp(`.{${max_line + 1}}`);

/** Returns code in tokens; undefined for a language that is not known. Its writer may be a stranger, so the work is bounded. */
export function highlight(text: string, language: string): readonly CodeToken[] | undefined {
  const name = language.toLowerCase();
  if (!hljs.getLanguage(name)) return undefined;
  const begun_at = performance.now();
  const isPlain = (piece: string) => longLine.test(piece) || performance.now() - begun_at > max_ms;
  return piecesOf(text).flatMap((piece) => (isPlain(piece) ? [piece] : tokensOf(piece, name)));
}

function tokensOf(text: string, language: string): readonly CodeToken[] {
  const { _emitter } = hljs.highlight(text, { language, ignoreIllegals: true });
  return (_emitter as unknown as TokenEmitter).root.children;
}

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (text.length - start > max_piece) {
    const end = endOf(text, start);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return [...pieces, text.slice(start)];
}

/** Returns where a piece ends: after an empty line, where what goes over several lines has mostly ended, else after a line. */
function endOf(text: string, start: number): number {
  const limit = start + max_piece;
  const gap = text.lastIndexOf('\n\n', limit - 2);
  if (gap > start + max_piece / 2) return gap + 2;
  const line = text.lastIndexOf('\n', limit - 1);
  return line > start ? line + 1 : limit;
}
