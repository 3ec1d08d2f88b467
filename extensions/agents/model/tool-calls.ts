import { randomUUID } from 'node:crypto';
import { isRecord, objectAt, parseJson } from '../json.js';
import { AnswerFault } from './failures.js';
import type { ToolUse } from './prompt.js';
import type { ToolNames } from './tool-names.js';

/** Limits on the calls of one answer, and on the characters of their inputs altogether. Beyond them the answer is a fault. */
const max_calls = 64;
const max_arguments_length = 1_048_576;
const max_id_length = 128;

/** Part of a call, as servers stream it; what is missing differs from one to the other. */
interface Fragment {
  index?: unknown;
  id?: unknown;
  type?: unknown;
  function?: unknown;
}

interface Slot {
  id: string;
  name: string;
  arguments: string;
  index: number | undefined;
  /** Fields that the protocol doesn't know. */
  own: Record<string, unknown>;
}

interface CallsOptions {
  /** The endpoint and model. */
  by: string;
  names: ToolNames;
}

/**
 * Puts tool calls together from what a model's server streams. The standard numbers each call with an
 * index and names it once; there are servers that number none, or all of them 0, leave numbers out, give no
 * ids or one id to all, and such that send each call whole.
 */
export class ToolCalls {
  readonly #options: CallsOptions;
  readonly #slots: Slot[] = [];
  #length = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Whether a call has begun. One with neither a name nor an input is none. */
  get any(): boolean {
    return this.#slots.some(isCall);
  }

  /** Characters so far. */
  get length(): number {
    return this.#length;
  }

  add(fragments: unknown): void {
    if (!Array.isArray(fragments)) return;
    for (const fragment of fragments) if (typeof fragment === 'object' && fragment !== null) this.#add(fragment as Fragment);
  }

  /** The calls, by their index and then as they came. `isCut`: the answer reached its limit of tokens, perhaps within the last of them. */
  whole(isCut: boolean): ToolUse[] {
    const seen = new Set<string>();
    const sorted = this.#slots.filter(isCall).sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    return sorted.map((slot) => {
      const { id, name, own, arguments: given } = slot;
      const unique = id === '' || id.length > max_id_length || seen.has(id) ? newCallId() : id;
      seen.add(unique);
      const called = { id: unique, name: this.#options.names.find(name), arguments: plainArguments(given) };
      const cut = isCut && slot === this.#slots.at(-1) && parseJson(given) === undefined ? { cut: true } : {};
      return { ...called, ...cut, ...(Object.keys(own).length === 0 ? {} : { echo: { by: this.#options.by, fields: own } }) };
    });
  }

  #add(fragment: Fragment): void {
    const { index, id: found_id, type: _type, function: of_function, ...of_call } = fragment;
    const { name: found_name, arguments: found_arguments, ...inner } = isRecord(of_function) ? of_function : {};
    const id = textOf(found_id);
    const name = textOf(found_name);
    const given = argumentsOf(found_arguments);
    const slot = this.#slotOf({ index: indexOf(index), id, name });
    slot.id ||= id;
    // A name comes whole, also after the arguments, or is repeated with each fragment; where it comes in parts, before the arguments.
    if (slot.name !== name && (slot.arguments === '' || slot.name === '')) slot.name += name;
    slot.arguments += given;
    this.#keep(slot, of_call, inner);
    this.#length += name.length + given.length;
    if (this.#length > max_arguments_length) throw gone('wrote more than 1 MiB of input for its tools');
  }

  /** Some servers put signatures and the like into a call, and want them back. */
  #keep(slot: Slot, of_call: Readonly<Record<string, unknown>>, inner: Readonly<Record<string, unknown>>): void {
    const own = Object.entries(of_call).filter(([, value]) => value !== null);
    const of_function = Object.entries(inner).filter(([, value]) => value !== null);
    if (own.length === 0 && of_function.length === 0) return;
    this.#length += JSON.stringify([own, of_function]).length;
    Object.assign(slot.own, Object.fromEntries(own));
    if (of_function.length > 0)
      slot.own.function = { ...(isRecord(slot.own.function) ? slot.own.function : {}), ...Object.fromEntries(of_function) };
  }

  #slotOf(part: { index: number | undefined; id: string; name: string }): Slot {
    const slot = this.#known(part) ?? this.#open(part.index);
    if (this.#slots.length > max_calls) throw gone(`asked for more than ${max_calls} tools at once`);
    return slot;
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = { index, id: '', name: '', arguments: '', own: {} };
    this.#slots.push(slot);
    return slot;
  }

  /** The call that a fragment goes on with. The last of several, since one index may have stood for more than one. */
  #known({ index, id, name }: { index: number | undefined; id: string; name: string }): Slot | undefined {
    const slot = this.#slots.findLast((each) => (index === undefined ? id === '' || each.id === id : each.index === index));
    // The rest of a call may come under another index than its start.
    if (!slot) return id === '' && name === '' ? this.#slots.findLast((each) => !isWhole(each.arguments)) : undefined;
    const another = id !== '' && slot.id !== '' && id !== slot.id;
    const next = name !== '' && slot.name !== '' && isWhole(slot.arguments);
    return another || next ? undefined : slot;
  }
}

/** Returns an id for a call that came without one. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}

function gone(what: string): AnswerFault {
  return new AnswerFault(`${what}, so its answer was given up`);
}

function isCall({ name, arguments: given }: Slot): boolean {
  return name !== '' || given !== '';
}

function isWhole(text: string): boolean {
  return text.trimEnd().endsWith('}') && parseJson(text) !== undefined;
}

/** Nothing, and null, stand for an empty object; some servers encode the JSON twice. */
function plainArguments(given: string): string {
  const text = given.trim();
  const value = text === '' ? null : parseJson(text);
  if (value === null) return '{}';
  if (value === undefined) return withoutExtras(text);
  return typeof value === 'string' && (value.trim() === '' || isRecord(parseJson(value))) ? value.trim() || '{}' : given;
}

/** Removes what some servers add: an empty object first, the whole input once more at the end, or a mark of the model behind it. */
function withoutExtras(text: string): string {
  const start = /^\{\}\s*(?=\{)/.exec(text)?.[0].length ?? 0;
  const object = objectAt(text, start);
  if (!object) return text;
  const rest = text.slice(object.end).trim();
  return rest === '' || rest === object.text || /^(<[^<>]*>|`{3})$/.test(rest) ? object.text : text;
}

function indexOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Some servers give the input as the object that it stands for. */
function argumentsOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
}
