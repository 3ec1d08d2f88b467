import type { JsonSchema, KeyRule } from '../../contract/schema.js';

/** Returns the number of steps of a pattern's program. */
export type PatternSize = (pattern: string, flags: string) => number;

export interface WorkLimit {
  /** In steps. A step takes Joi about a microsecond, or ten if it finds a fault. */
  limit: number;
  patternSize: PatternSize;
}

/** Product of pattern size and characters that costs one step. */
const pattern_work = 20;
/** Characters that cost one step: they are copied, measured and compared. */
const characters = 1_000;
/** Comparisons of two equal values that cost one step. */
const comparisons = 32;

/** Returns whether validating a value takes at most `limit` steps. Stops counting at the limit. */
export function isWithinWork(schema: JsonSchema, value: unknown, { limit, patternSize }: WorkLimit): boolean {
  const counter = new Counter(limit, patternSize);
  counter.visit(schema, value);
  return !counter.isOver;
}

class Counter {
  #left: number;
  readonly #patternSize: PatternSize;

  constructor(limit: number, patternSize: PatternSize) {
    this.#left = limit;
    this.#patternSize = patternSize;
  }

  get isOver(): boolean {
    return this.#left < 0;
  }

  visit(schema: JsonSchema, value: unknown): void {
    this.#take(1);
    if (this.isOver) return;
    // Objects and null are compared with each listed value; other values are looked up.
    if (schema.enum !== undefined && typeof value === 'object') this.#take(schema.enum.length);
    if (schema.anyOf !== undefined) this.#visitEach(schema.anyOf, value);
    else if (typeof value === 'string') this.#text(schema, value);
    else if (Array.isArray(value)) this.#list(schema, value);
    else if (typeof value === 'object' && value !== null) this.#object(schema, value as Readonly<Record<string, unknown>>);
  }

  /** Counts all members, because all may be tried before one accepts the value. */
  #visitEach(members: readonly JsonSchema[], value: unknown): void {
    for (const member of members) {
      if (this.isOver) return;
      this.visit(member, value);
    }
  }

  #text({ pattern, 'x-flags': flags = '', 'x-single': single, items }: JsonSchema, text: string): void {
    this.#take(text.length / characters);
    if (pattern !== undefined) this.#take((text.length * this.#patternSize(pattern, flags)) / pattern_work);
    if (single === true && items !== undefined) this.visit(items, text);
  }

  #list({ items, uniqueItems }: JsonSchema, list: readonly unknown[]): void {
    for (const item of list) {
      if (this.isOver) return;
      if (items === undefined) this.#take(1);
      else this.visit(items, item);
    }
    if (uniqueItems === true && list.some((item) => typeof item === 'object')) this.#compareAll(list);
  }

  /** Counts deep comparisons of all pairs. */
  #compareAll(list: readonly unknown[]): void {
    const before = this.#left;
    for (const item of list) this.#size(item);
    this.#take(((before - this.#left) * list.length) / comparisons);
  }

  #object({ properties = {}, additionalProperties, allOf = [] }: JsonSchema, value: Readonly<Record<string, unknown>>): void {
    // Joi looks up absent keys too.
    this.#take(Object.keys(properties).length + allOf.reduce((sum, rule) => sum + peersOf(rule), 0));
    for (const key of Object.keys(value)) {
      if (this.isOver) return;
      this.#take(1);
      const inner = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
      if (typeof inner === 'object') this.visit(inner, value[key]);
    }
  }

  #size(value: unknown): void {
    this.#take(1 + (typeof value === 'string' ? value.length / characters : 0));
    if (typeof value !== 'object' || value === null || this.isOver) return;
    for (const inner of Object.values(value)) this.#size(inner);
  }

  #take(steps: number): void {
    this.#left -= steps;
  }
}

function peersOf(rule: KeyRule): number {
  if ('anyOf' in rule) return rule.anyOf.length;
  return 'oneOf' in rule ? rule.oneOf.length : rule.not.required.length;
}
