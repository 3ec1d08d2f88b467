import { randomUUID } from 'node:crypto';
import { ModelFailure } from './failures.js';
import type { ToolUse } from './prompt.js';

/** So many calls at once, of so many characters altogether, are an answer that has gone astray. */
const most_calls = 64;
const longest_arguments = 1_048_576;
const longest_name = 128;

/** Part of a call, as servers stream it; what is missing differs from one to the other. */
interface Fragment {
  index?: unknown;
  id?: unknown;
  function?: { name?: unknown; arguments?: unknown };
}

interface Slot extends ToolUse {
  index: number | undefined;
}

/**
 * Puts tool calls together from what a model's server streams. The standard numbers each call with an
 * index and names it once; there are servers that number none, or all of them 0, leave numbers out, give no
 * ids or one id to all, and such that send each call whole.
 */
export class ToolCalls {
  readonly #slots: Slot[] = [];
  #length = 0;

  /** Whether a call has begun. */
  get any(): boolean {
    return this.#slots.length > 0;
  }

  /** Characters so far. */
  get length(): number {
    return this.#length;
  }

  add(fragments: unknown): void {
    if (!Array.isArray(fragments)) return;
    for (const fragment of fragments) if (typeof fragment === 'object' && fragment !== null) this.#add(fragment as Fragment);
  }

  /** The calls, by their index and then as they came. */
  whole(): ToolUse[] {
    const seen = new Set<string>();
    const sorted = [...this.#slots].sort((one, other) => (one.index ?? 0) - (other.index ?? 0));
    return sorted.map(({ id, name, arguments: given }) => {
      const own = id === '' || id.length > longest_name || seen.has(id) ? `call_${randomUUID().replaceAll('-', '')}` : id;
      seen.add(own);
      return { id: own, name: name.slice(0, longest_name), arguments: given.trim() === '' ? '{}' : given };
    });
  }

  #add(fragment: Fragment): void {
    const id = textOf(fragment.id);
    const name = textOf(fragment.function?.name);
    const given = argumentsOf(fragment.function?.arguments);
    const slot = this.#slotOf({ index: indexOf(fragment.index), id, name });
    slot.id ||= id;
    // A name comes whole, or is repeated with each fragment; where it comes in parts, before the arguments.
    if (slot.name !== name && slot.arguments === '') slot.name += name;
    slot.arguments += given;
    this.#length += name.length + given.length;
    if (this.#length > longest_arguments) throw gone('wrote more than 1 MiB of input for its tools');
  }

  #slotOf(part: { index: number | undefined; id: string; name: string }): Slot {
    const slot = this.#known(part) ?? this.#open(part.index);
    if (this.#slots.length > most_calls) throw gone(`asked for more than ${most_calls} tools at once`);
    return slot;
  }

  #open(index: number | undefined): Slot {
    const slot: Slot = { index, id: '', name: '', arguments: '' };
    this.#slots.push(slot);
    return slot;
  }

  /** The call that a fragment goes on with. The last of several, since one index may have stood for more than one. */
  #known({ index, id, name }: { index: number | undefined; id: string; name: string }): Slot | undefined {
    const slot = this.#slots.findLast((each) => (index === undefined ? id === '' || each.id === id : each.index === index));
    if (!slot) return undefined;
    const another = id !== '' && slot.id !== '' && id !== slot.id;
    const next = name !== '' && isWhole(slot.arguments);
    return another || next ? undefined : slot;
  }
}

function gone(what: string): ModelFailure {
  return new ModelFailure('model_error', `The model ${what}, so its answer was given up`);
}

function isWhole(text: string): boolean {
  if (!text.trimEnd().endsWith('}')) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
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
