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

/** Returns code in tokens; undefined for a language that is not known. */
export function highlight(text: string, language: string): readonly CodeToken[] | undefined {
  const name = language.toLowerCase();
  if (!hljs.getLanguage(name)) return undefined;
  const { _emitter } = hljs.highlight(text, { language: name, ignoreIllegals: true });
  return (_emitter as unknown as TokenEmitter).root.children;
}
