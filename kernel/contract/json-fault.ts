/** Position at which a text stops being JSON (RFC 8259), and the reason. Lines and columns count from 1, in UTF-16 units. */
export interface JsonFault {
  line: number;
  column: number;
  message: string;
}

/** Limit of nesting, which keeps the recursion bounded. Other checks refuse such values anyway. */
const max_depth = 500;

/** Returns the first syntax error of a text, or the first key that an object has twice; undefined if there is neither. */
export function jsonFault(text: string): JsonFault | undefined {
  const scanner = new Scanner(text);
  try {
    scanner.document();
    return undefined;
  } catch (fault) {
    if (!(fault instanceof Stop)) throw fault;
    return { ...placeOf(text, fault.at), message: fault.message };
  }
}

class Stop extends Error {
  readonly at: number;

  constructor(at: number, message: string) {
    super(message);
    this.at = at;
  }
}

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value(0);
    this.#blank();
    if (this.#at < this.#text.length) this.#stop(`nothing may follow the value, but ${this.#found()} does`);
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #value(depth: number): void {
    this.#blank();
    if (depth > max_depth) this.#stop('it is nested too deeply');
    if (this.#peek() === '{') this.#object(depth);
    else if (this.#peek() === '[') this.#array(depth);
    else if (this.#peek() === '"') this.#string();
    else this.#word();
  }

  #object(depth: number): void {
    const open = this.#at;
    const keys = new Set<string>();
    this.#at += 1;
    for (let first = true; ; first = false) {
      if (this.#closes('}', { first, open })) return;
      if (this.#peek() !== '"') this.#stop(`a key must be in double quotes, but ${this.#found()} stands here`);
      const at = this.#at;
      const key = this.#string();
      if (keys.has(key)) throw new Stop(at, `the key ${key.slice(0, 80)} is there twice`);
      keys.add(key);
      this.#blank();
      if (this.#peek() !== ':') this.#stop(`a colon must follow the key ${key.slice(0, 80)}, but ${this.#found()} does`);
      this.#at += 1;
      this.#value(depth + 1);
    }
  }

  #array(depth: number): void {
    const open = this.#at;
    this.#at += 1;
    for (let first = true; ; first = false) {
      if (this.#closes(']', { first, open })) return;
      this.#value(depth + 1);
    }
  }

  /** Skips the comma before the next member, or the closing bracket; returns whether it was the bracket. */
  #closes(end: '}' | ']', { first, open }: { first: boolean; open: number }): boolean {
    this.#blank();
    if (this.#peek() === end) {
      this.#at += 1;
      return true;
    }
    if (this.#peek() === '') this.#stop(`it ends before the '${this.#text[open]}' of line ${placeOf(this.#text, open).line} is closed`);
    if (first) return false;
    if (this.#peek() !== ',') this.#stop(`a comma or '${end}' must stand here, but ${this.#found()} does`);
    const comma = this.#at;
    this.#at += 1;
    this.#blank();
    if (this.#peek() === end) throw new Stop(comma, `no comma may stand before '${end}'`);
    return false;
  }

  /** Reads a string; returns it with its quotes. */
  #string(): string {
    const begin = this.#at;
    for (this.#at += 1; this.#peek() !== '"'; this.#at += 1) {
      if (this.#peek() === '' || this.#peek() === '\n') throw new Stop(begin, 'this text has no closing double quote on its line');
      if (this.#peek() < ' ') this.#stop('a text may not have a control character; write \\t for a tab');
      if (this.#peek() === '\\') this.#escape();
    }
    this.#at += 1;
    return this.#text.slice(begin, this.#at);
  }

  #escape(): void {
    const found = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(this.#text.slice(this.#at, this.#at + 6))?.[0];
    if (found === undefined) this.#stop('this backslash begins no escape of JSON; write \\\\ for a backslash');
    this.#at += (found?.length ?? 1) - 1;
  }

  #word(): void {
    const word = /^[^\s,:[\]{}"]*/.exec(this.#text.slice(this.#at, this.#at + 100))?.[0] ?? '';
    if (!/^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(word))
      this.#stop(`a value must stand here, but ${this.#found()} does`);
    this.#at += word.length;
  }

  #blank(): void {
    while (this.#peek() !== '' && ' \t\r\n'.includes(this.#peek())) this.#at += 1;
  }

  #stop(message: string): never {
    throw new Stop(this.#at, message);
  }

  /** Describes the text at the current position, for messages; names common mistakes such as comments and curly quotes. */
  #found(): string {
    const rest = this.#text.slice(this.#at, this.#at + 40);
    if (rest === '') return 'the end of the file';
    if (rest.startsWith('//') || rest.startsWith('/*') || rest.startsWith('#')) return 'a comment, which JSON does not have,';
    if (rest.startsWith("'")) return 'a single quote (JSON has double quotes alone)';
    if (/^[\u201C\u201D\u2018\u2019]/.test(rest)) return 'a curly quote (JSON has straight double quotes)';
    return `'${(/^[\w.+-]+/.exec(rest)?.[0] ?? Array.from(rest)[0] ?? '').replace(/\p{Cc}/gu, '?')}'`;
  }
}

function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const start = before.lastIndexOf('\n') + 1;
  return { line: before.split('\n').length, column: at - start + 1 };
}
