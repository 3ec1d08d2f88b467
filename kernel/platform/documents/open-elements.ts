/** Elements of other languages, in which `<x/>` ends an element. */
const foreign: ReadonlySet<string> = new Set(['svg', 'math']);
/** Elements of these languages whose content may be HTML again. */
const integrating: ReadonlySet<string> = new Set(['mi', 'mo', 'mn', 'ms', 'mtext', 'annotation-xml', 'foreignobject', 'desc', 'title']);

interface OpenName {
  name: string;
  /** Number of open elements of this name. */
  count: number;
}

/**
 * The open elements of a page. Each step takes the same time at any depth: the package's own parser moves the whole list for each element, so
 * that a page of 10 MB could take minutes.
 */
export class OpenElements {
  readonly #open: OpenName[] = [];
  readonly #names = new Map<string, OpenName>();
  readonly #foreign: boolean[] = [];

  get innermost(): string | undefined {
    return this.#open.at(-1)?.name;
  }

  get isForeign(): boolean {
    return this.#foreign.at(-1) ?? false;
  }

  has(name: string): boolean {
    return (this.#names.get(name)?.count ?? 0) > 0;
  }

  begin(name: string): void {
    const known = this.#names.get(name) ?? { name, count: 0 };
    if (known.count === 0) this.#names.set(name, known);
    known.count += 1;
    this.#open.push(known);
    if (changesLanguage(name)) this.#foreign.push(foreign.has(name));
  }

  /** Ends the innermost element of this name, which {@link has} has found, and all elements in it. Yields their names, the innermost first. */
  *end(name: string): Generator<string> {
    for (let ended: string | undefined; ended !== name && this.#open.length > 0; ) {
      ended = this.#endInnermost();
      yield ended;
    }
  }

  #endInnermost(): string {
    const ended = this.#open.pop() as OpenName;
    ended.count -= 1;
    if (changesLanguage(ended.name)) this.#foreign.pop();
    return ended.name;
  }
}

function changesLanguage(name: string): boolean {
  return foreign.has(name) || integrating.has(name);
}
