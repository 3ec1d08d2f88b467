import type { StreamEvent } from '../kernel/contract/operation.js';

/** An event to show now. */
export interface OrderedEvent {
  event: StreamEvent;
  /** Set if another reply begins with it: the name of its sender, empty if unknown. */
  begins?: string;
}

interface ReplyData {
  task_id?: string | null;
  message?: { sender_name?: string } | null;
}

const ofReply = /^(message|tool|reasoning)\.|^snapshot$/;
const final = /^message\.(completed|aborted|failed)$/;

/** Returns whether an event of this type ends a reply, or is a message that a person sent. */
export function isFinal(type: string): boolean {
  return final.test(type);
}

/**
 * Orders the events of replies that are written side by side, so that their texts don't mix: the first reply passes as it is written, each
 * other one once those before it have ended. Events that belong to no text, such as approvals, pass at once.
 */
export class ReplyOrder {
  #current: string | undefined;
  readonly #waiting = new Map<string, StreamEvent[]>();
  readonly #seen = new Set<string>();

  /** Whether several replies have begun. */
  get hasSeveral(): boolean {
    return this.#seen.size > 1;
  }

  take(event: StreamEvent): OrderedEvent[] {
    const { task_id } = event.data as ReplyData;
    if (typeof task_id !== 'string' || !ofReply.test(event.type)) return [{ event }];
    if (this.#current === undefined) this.#current = task_id;
    if (task_id === this.#current) return this.#pass(task_id, [event]);
    const held = this.#waiting.get(task_id);
    if (held) held.push(event);
    else this.#waiting.set(task_id, [event]);
    return [];
  }

  /** Returns all events that wait. */
  end(): OrderedEvent[] {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    return waiting.flatMap(([task_id, events]) => this.#marked(task_id, events));
  }

  #pass(task_id: string, events: readonly StreamEvent[]): OrderedEvent[] {
    const passed = this.#marked(task_id, events);
    if (!events.some(({ type }) => isFinal(type))) return passed;
    const [next] = this.#waiting.keys();
    this.#current = next;
    if (next === undefined) return passed;
    const held = this.#waiting.get(next) ?? [];
    this.#waiting.delete(next);
    return [...passed, ...this.#pass(next, held)];
  }

  #marked(task_id: string, events: readonly StreamEvent[]): OrderedEvent[] {
    if (this.#seen.has(task_id)) return events.map((event) => ({ event }));
    this.#seen.add(task_id);
    const named = events.find(({ data }) => (data as ReplyData).message?.sender_name);
    const begins = (named?.data as ReplyData | undefined)?.message?.sender_name ?? '';
    return events.map((event, index) => (index === 0 ? { event, begins } : { event }));
  }
}
