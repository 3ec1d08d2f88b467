import { useMemo } from 'react';
import { type Failure, isFailure } from '../../../kernel/contract/failure.js';
import { connection } from './connection.js';
import type { LiveHub } from './live-hub.js';
import { callOperation, failureOf } from './operations.js';
import { useValue, Value } from './value.js';

/** A call that waits for its answer. */
export interface OutboxItem<Input = object> {
  /** Its idempotency key. */
  readonly key: string;
  readonly input: Input;
  readonly created_at: string;
  /** `waiting`: the server can't be reached, it goes by itself later. `failed`: refused. `old`: the member decides whether it is still meant. */
  readonly state: 'sending' | 'waiting' | 'failed' | 'old';
  readonly error: Failure | undefined;
  /** Sends it again under the same key. */
  again: () => void;
  /** Gives it up. */
  drop: () => void;
}

/** The outbox of one operation. */
export interface OutboxOf<Input, Answer> {
  /**
   * Sends a call that survives a lost connection, a reload and a closed tab: it is sent again under its idempotency key until it has an answer.
   * Rejects if the server refuses it; the item then stays until it is sent again or dropped.
   *
   * @param about what it belongs to, such as a conversation's id.
   */
  send: (input: Input, options: { about: string }) => Promise<Answer>;
  /** Returns the calls about something that have no answer yet, oldest first. */
  useItems: (about: string) => readonly OutboxItem<Input>[];
}

interface Stored {
  readonly key: string;
  readonly id: string;
  readonly about: string;
  readonly input: object;
  /** Milliseconds since 1970. */
  readonly at: number;
}

interface Entry extends Stored, OutboxItem {
  readonly input: object;
}

interface Waiter {
  resolve: (answer: unknown) => void;
  reject: (reason: unknown) => void;
}

const ask_after_ms = 12 * 60 * 60_000;
const retry_ms = 20_000;
const passing = ['unreachable', 'server_busy', 'shutting_down', 'extension_unavailable', 'database_busy', 'idempotency_in_progress'];

/** Calls that must not be lost. They are in the browser's storage until they have an answer. */
export class Outbox {
  readonly entries = new Value<readonly Entry[]>([]);
  readonly #prefix: string;
  readonly #waiters = new Map<string, Waiter>();
  readonly #release = new Map<string, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param prefix of the names in the browser's storage, unique to the installation and the member. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Takes up what earlier tabs left, now and whenever the connection is back. */
  begin(live: LiveHub): void {
    for (const stored of this.#stored()) void this.#takeUp(stored);
    live.state.watch(() => live.state.get().state === 'live' && this.#sendWaiting());
    addEventListener('online', () => this.#sendWaiting());
  }

  send(id: string, input: object, about: string): Promise<unknown> {
    const stored: Stored = { key: randomKey(), id, about, input, at: Date.now() };
    this.#store(stored);
    const answer = new Promise<unknown>((resolve, reject) => this.#waiters.set(stored.key, { resolve, reject }));
    this.#add(stored, 'sending');
    void this.#hold(stored.key).then(() => this.#send(stored));
    return answer;
  }

  /** Forgets everything, in the browser's storage too. */
  clear(): void {
    for (const { key } of this.#stored()) localStorage.removeItem(this.#prefix + key);
    this.entries.set([]);
  }

  async #takeUp(stored: Stored): Promise<void> {
    // Another tab has it under way.
    if (!(await this.#hold(stored.key))) return;
    const isOld = Date.now() - stored.at > ask_after_ms;
    this.#add(stored, isOld ? 'old' : 'sending');
    if (!isOld) await this.#send(stored);
  }

  async #send(stored: Stored): Promise<void> {
    this.#change(stored.key, { state: 'sending', error: undefined });
    try {
      const answer = await callOperation(stored.id, stored.input, { idempotency_key: stored.key });
      this.#remove(stored.key);
      this.#settle(stored.key)?.resolve(answer);
    } catch (error) {
      if (isFailure(error) && passing.includes(error.code)) {
        this.#change(stored.key, { state: 'waiting', error });
        this.#timer ??= setTimeout(() => this.#sendWaiting(), retry_ms);
        return;
      }
      this.#change(stored.key, { state: 'failed', error: failureOf(error) });
      this.#settle(stored.key)?.reject(error);
    }
  }

  /** Sends what waits, in its order: a later message must not overtake an earlier one. */
  #sendWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.entries.get().filter(({ state }) => state === 'waiting');
    void waiting.reduce((before, entry) => before.then(() => this.#send(entry)), Promise.resolve());
  }

  #add(stored: Stored, state: Entry['state']): void {
    const entry: Entry = {
      ...stored,
      created_at: new Date(stored.at).toISOString(),
      state,
      error: undefined,
      again: () => void this.#send(stored),
      drop: () => {
        this.#remove(stored.key);
        this.#settle(stored.key)?.resolve(undefined);
      },
    };
    this.entries.update((before) => [...before, entry].sort((one, other) => one.at - other.at));
  }

  #change(key: string, change: Partial<Pick<Entry, 'state' | 'error'>>): void {
    this.entries.update((before) => before.map((each) => (each.key === key ? { ...each, ...change } : each)));
  }

  #remove(key: string): void {
    this.entries.update((before) => before.filter((each) => each.key !== key));
    try {
      localStorage.removeItem(this.#prefix + key);
    } catch {
      // It was never stored.
    }
    this.#release.get(key)?.();
    this.#release.delete(key);
  }

  #settle(key: string): Waiter | undefined {
    const waiter = this.#waiters.get(key);
    this.#waiters.delete(key);
    return waiter;
  }

  #store(stored: Stored): void {
    try {
      localStorage.setItem(this.#prefix + stored.key, JSON.stringify(stored));
    } catch {
      // Too large, or storage is switched off: it is sent all the same.
    }
  }

  #stored(): Stored[] {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(this.#prefix));
      return names.flatMap((name) => storedFrom(localStorage.getItem(name)) ?? []).sort((one, other) => one.at - other.at);
    } catch {
      return [];
    }
  }

  /** Holds a call for this tab as long as it lives; returns whether no other tab has it. */
  #hold(key: string): Promise<boolean> {
    if (!('locks' in navigator)) return Promise.resolve(true);
    return new Promise((resolve) => {
      const held = (lock: Lock | null) => {
        resolve(lock !== null);
        return lock === null ? undefined : new Promise<void>((release) => this.#release.set(key, release));
      };
      navigator.locks.request(this.#prefix + key, { ifAvailable: true }, held).catch(() => resolve(true));
    });
  }
}

/** Reads a stored call; undefined if it is none. */
function storedFrom(text: string | null): Stored | undefined {
  try {
    const { key, id, about, input, at } = JSON.parse(text ?? 'null') as Partial<Stored>;
    const isWhole = [key, id, about].every((each) => typeof each === 'string') && typeof input === 'object' && Number.isSafeInteger(at);
    return isWhole ? ({ key, id, about, input, at } as Stored) : undefined;
  } catch {
    return undefined;
  }
}

type Entries<Api> = { [Id in keyof Api]: Api[Id] };

/** Returns the outbox of an operation that takes an idempotency key: `outbox<ChatApi, 'chat.send'>('chat.send')`. */
export function outbox<Api extends object, Id extends keyof Api & string>(
  id: Id,
): OutboxOf<
  Entries<Api>[Id] extends { input: infer Input } ? Input : object,
  Entries<Api>[Id] extends { answer: infer Answer } ? Answer : unknown
> {
  return {
    send: (input: object, { about }: { about: string }) => connection().outbox.send(id, input, about),
    useItems(about: string) {
      const all = useValue(connection().outbox.entries);
      return useMemo(() => all.filter((entry) => entry.id === id && entry.about === about), [all, id, about]);
    },
  } as never;
}

/** Returns an unguessable key. `randomUUID` exists on https and localhost only. */
function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
