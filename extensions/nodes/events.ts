import { setTimeout as sleep } from 'node:timers/promises';
import type { Entry, Gap, Journal, Log, StreamEvent } from '../../kernel/contract/index.js';
import type { Node, PullProgress } from './contract.js';

export interface EventsParts {
  journal: Journal;
  log: Log;
  /** Returns a node as administrators see it; undefined if it is gone. */
  find: (id: number) => Promise<Node | undefined>;
}

/** Silence after which a reader checks the database for the current state. */
const check_ms = 5_000;

/** Events of nodes that are being created or removed, on all instances. */
export class NodeEvents {
  readonly #parts: EventsParts;

  constructor(parts: EventsParts) {
    this.#parts = parts;
  }

  /** Appends the current state. */
  updated(node: Node): void {
    const entry = { type: 'node.updated', data: { node } };
    this.#append(node.id, isSettled(node) ? [entry, doneOf(node.status)] : [entry]);
  }

  progress(id: number, progress: PullProgress): void {
    this.#append(id, [{ type: 'pull.progress', data: { ...progress } }]);
  }

  removed(id: number): void {
    this.#append(id, [doneOf('removed')]);
  }

  /** Yields the node's current state, then its events, up to `done` once nothing more will happen. */
  async *follow(node: Node, { after, signal }: { after?: string | undefined; signal: AbortSignal }): AsyncGenerator<StreamEvent> {
    const topic = topicOf(node.id);
    const from = after ?? (await this.#parts.journal.head(topic));
    if (after === undefined) {
      yield updatedEvent(node, from);
      if (isSettled(node)) return yield doneOf(node.status);
    }
    const items = this.#parts.journal.follow(topic, { after: from, signal })[Symbol.asyncIterator]();
    let next = items.next();
    try {
      for (;;) {
        const step = await this.#next(next);
        if (step === 'idle') {
          const ended = await this.#ended(node.id);
          if (ended) return yield* ended;
          continue;
        }
        if (step.done) return;
        next = items.next();
        yield* this.#event(step.value, node.id);
        if (step.value.type === 'done') return;
      }
    } finally {
      next.catch(() => undefined);
      await items.return?.();
    }
  }

  async *#event(item: Entry | Gap, id: number): AsyncGenerator<StreamEvent> {
    if (item.type !== 'gap') return yield { id: item.cursor, type: item.type, data: (item as Entry).data };
    const node = await this.#parts.find(id);
    if (node) yield updatedEvent(node, item.cursor);
  }

  async #next(next: Promise<IteratorResult<Entry | Gap>>): Promise<IteratorResult<Entry | Gap> | 'idle'> {
    const timer = new AbortController();
    try {
      return await Promise.race([next, sleep(check_ms, 'idle' as const, { signal: timer.signal })]);
    } finally {
      timer.abort();
    }
  }

  /** Returns the final events for a reader whose last events were lost. */
  async #ended(id: number): Promise<StreamEvent[] | undefined> {
    const node = await this.#parts.find(id);
    if (!node) return [doneOf('removed')];
    return isSettled(node) ? [updatedEvent(node), doneOf(node.status)] : undefined;
  }

  #append(id: number, entries: readonly { type: string; data: object }[]): void {
    const { journal, log } = this.#parts;
    journal.append(topicOf(id), entries).catch((fault: unknown) => log.warn('Could not store an event of a work node', { id, fault }));
  }
}

const topicOf = (id: number): string => `node:${id}`;

function updatedEvent(node: Node, cursor?: string): StreamEvent {
  return { ...(cursor === undefined ? {} : { id: cursor }), type: 'node.updated', data: { node } };
}

function doneOf(status: string): { type: string; data: object } {
  return { type: 'done', data: { status } };
}

/** Returns whether it is created, or won't be, and stays that way. */
function isSettled({ status, container_id }: Node): boolean {
  return status === 'online' || status === 'error' || (status === 'offline' && container_id !== null);
}
