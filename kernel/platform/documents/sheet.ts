import { type DateStyle, timeText } from './sheet-dates.js';
import type { Attributes, XmlHandler } from './xml.js';

export interface SheetOptions {
  /** Texts that cells refer to by their index. */
  shared: readonly string[];
  /** For each style of a cell, how it formats a number as a date; undefined if it does not. */
  dates: readonly (DateStyle | undefined)[];
  from_1904: boolean;
  /** Called with each row that isn't empty. */
  row: (line: string) => void;
}

/** Limit of empty cells between two others: a lone cell at the end of a row needs no 16,000 tabs. */
const max_gap = 20;

/** Reads the rows of one sheet. */
export class SheetReader implements XmlHandler {
  readonly #options: SheetOptions;
  #cells: string[] = [];
  #column = 0;
  #type = '';
  #style = 0;
  #value = '';
  #formula = '';
  #isValue = false;
  #isFormula = false;
  /** Whether it is inside of a phonetic text, which repeats how another text is pronounced. */
  #isPhonetic = false;

  constructor(options: SheetOptions) {
    this.#options = options;
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') {
      this.#cells = [];
      this.#column = 0;
    } else if (name === 'c') {
      this.#begin(attributes);
    } else {
      if (name === 'rPh') this.#isPhonetic = true;
      this.#isValue = name === 'v' || (name === 't' && !this.#isPhonetic);
      this.#isFormula = name === 'f';
    }
  }

  text(text: string): void {
    if (this.#isValue) this.#value += text;
    else if (this.#isFormula) this.#formula += text;
  }

  close(name: string): void {
    this.#isValue = false;
    this.#isFormula = false;
    if (name === 'rPh') this.#isPhonetic = false;
    if (name === 'c') this.#cells.push(oneLine(this.#text()));
    if (name !== 'row') return;
    const line = this.#cells.join('\t').trimEnd();
    if (line !== '') this.#options.row(line);
  }

  #begin(attributes: Attributes): void {
    const column = columnOf(attributes.get('r') ?? '') ?? this.#column + 1;
    const gap = Math.min(Math.max(0, column - this.#column - 1), max_gap);
    for (let empty = 0; empty < gap; empty += 1) this.#cells.push('');
    this.#column = column;
    this.#type = attributes.get('t') ?? 'n';
    this.#style = Number(attributes.get('s') ?? 0);
    this.#value = '';
    this.#formula = '';
  }

  #text(): string {
    const value = this.#value;
    const { shared, dates, from_1904 } = this.#options;
    // Programs that don't calculate write formulas without a value.
    if (value === '') return this.#formula === '' ? '' : `=${this.#formula}`;
    if (this.#type === 's') return shared[Number(value)] ?? '';
    if (this.#type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
    if (this.#type !== 'n' || Number.isNaN(Number(value))) return value;
    const style = dates[this.#style];
    return style === undefined ? String(Number(value)) : timeText(Number(value), style, from_1904);
  }
}

/** Replaces line breaks and tabs, with the spaces around them. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, (gap) => (/[\t\r\n]/.test(gap) ? ' ' : gap));
}

/** Returns the number of a column in the name of a cell: 28 for `AB7`. */
function columnOf(cell: string): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(cell) ?? [];
  return letters === undefined ? undefined : letters.split('').reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0);
}
