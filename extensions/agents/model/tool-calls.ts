import { randomUUID } from 'node:crypto';
import { isRecord, objectAt, parseJson } from '../json.js';
import { AnswerFault } from './failures.js';
import type { ToolUse } from './prompt.js';
import type { ToolNames } from './tool-names.js';

/** Limits of the calls of one answer and of their inputs in characters. Beyond them the answer fails. */
const max_calls = 64;
const max_arguments_length = 1_048_576;
const max_id_length = 128;

/** Part of a streamed call; servers differ in what they omit. */
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
  /** Fields unknown to the protocol. */
  extras: Record<string, unknown>;
}

interface CallsOptions {
  /** Endpoint and model. */
  by: string;
  names: ToolNames;
}

/**
 * Assembles tool calls from the stream of a model server. The standard gives each call an index and names it once. Some
 * servers send no index, or always 0, or skip numbers, send no ids or one id for all, or send each call in one piece.
 */
export class ToolCalls {
  readonly #options: CallsOptions;
  readonly #slots: Slot[] = [];
  #length = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Whether a call has begun. An entry without name and input is not a call. */
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

  /** Returns the calls by index, then in order of arrival. `isCut`: the answer reached its token limit, perhaps within the last call. */
  complete(isCut: boolean): ToolUse[] {
    const seen = new Set<string>();
    const sorted = this.#slots.filter(isCall).sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    return sorted.map((slot) => {
      const { id, name, extras: own, arguments: argumentsText } = slot;
      const unique = id === '' || id.length > max_id_length || seen.has(id) ? newCallId() : id;
      seen.add(unique);
      const called = { id: unique, name: this.#options.names.find(name), arguments: plainArguments(argumentsText) };
      const cut = isCut && slot === this.#slots.at(-1) && parseJson(argumentsText) === undefined ? { cut: true } : {};
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
    // A complete name may come after the arguments or be repeated with each fragment; a name in parts comes before the arguments.
    if (slot.name !== name && (slot.arguments === '' || slot.name === '')) slot.name += name;
    slot.arguments += given;
    this.#storeExtras(slot, of_call, inner);
    this.#length += name.length + given.length;
    if (this.#length > max_arguments_length) throw tooMuch('wrote more than 1 MiB of input for its tools');
  }

  /** Stores extra fields: some servers put signatures and the like into a call and require them back. */
  #storeExtras(slot: Slot, of_call: Readonly<Record<string, unknown>>, inner: Readonly<Record<string, unknown>>): void {
    const own = Object.entries(of_call).filter(([, value]) => value !== null);
    const of_function = Object.entries(inner).filter(([, value]) => value !== null);
    if (own.length === 0 && of_function.length === 0) return;
    this.#length += JSON.stringify([own, of_function]).length;
    Object.assign(slot.extras, Object.fromEntries(own));
    if (of_function.length > 0)
      slot.extras.function = { ...(isRecord(slot.extras.function) ? slot.extras.function : {}), ...Object.fromEntries(of_function) };
  }

  #slotOf(part: { index: number | undefined; id: string; name: string }): Slot {
    const slot = this.#continued(part) ?? this.#open(part.index);
    if (this.#slots.length > max_calls) throw tooMuch(`asked for more than ${max_calls} tools at once`);
    return slot;
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = { index, id: '', name: '', arguments: '', extras: {} };
    this.#slots.push(slot);
    return slot;
  }

  /** Finds the call that a fragment continues. The last one, because an index may have been used more than once. */
  #continued({ index, id, name }: { index: number | undefined; id: string; name: string }): Slot | undefined {
    const slot = this.#slots.findLast((each) => (index === undefined ? id === '' || each.id === id : each.index === index));
    // The rest of a call may come under another index than its start.
    if (!slot) return id === '' && name === '' ? this.#slots.findLast((each) => !isComplete(each.arguments)) : undefined;
    const another = id !== '' && slot.id !== '' && id !== slot.id;
    const next = name !== '' && slot.name !== '' && isComplete(slot.arguments);
    return another || next ? undefined : slot;
  }
}

/** Generates an id for a call without one. */
export function newCallId(): string {
  return `call_${randomUUID().replaceAll('-', '')}`;
}

function tooMuch(what: string): AnswerFault {
  return new AnswerFault(`${what}, so its answer was discarded`);
}

function isCall({ name, arguments: given }: Slot): boolean {
  return name !== '' || given !== '';
}

function isComplete(text: string): boolean {
  return text.trimEnd().endsWith('}') && parseJson(text) !== undefined;
}

/** Normalises an input. Nothing and null mean an empty object; some servers encode the JSON twice. */
function plainArguments(given: string): string {
  const text = given.trim();
  const value = text === '' ? null : parseJson(text);
  if (value === null) return '{}';
  if (value === undefined) return withoutExtras(text);
  return typeof value === 'string' && (value.trim() === '' || isRecord(parseJson(value))) ? value.trim() || '{}' : given;
}

/** Removes additions of some servers: an empty object first, the whole input repeated at the end, or a model's mark after it. */
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

/** Returns the input as text: some servers send it as an object. */
function argumentsOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : textOf(value);
}
