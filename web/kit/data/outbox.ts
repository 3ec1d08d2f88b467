import { useMemo } from 'react';
import { Failure, isFailure } from '../../../kernel/contract/failure.js';
import { connection } from './connection.js';
import type { LiveHub } from './live-hub.js';
import { callOperation, failureOf } from './operations.js';
import { isPassing } from './passing.js';
import type { Session } from './session.js';
import { unstored } from './unsaved.js';
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

/** Reason for which a call is taken back: it waits until the member has logged in again. */
const logged_out = new Failure('unauthenticated', 'The login has ended', { status: 401 });

/** Calls that must not be lost. They are in the browser's storage until they have an answer. */
export class Outbox {
  readonly entries = new Value<readonly Entry[]>([]);
  readonly #prefix: string;
  readonly #waiters = new Map<string, Waiter>();
  readonly #release = new Map<string, () => void>();
  /** Ends the mark of each call that isn't in the storage. */
  readonly #unstored = new Map<string, () => void>();
  /** The last call about something: the next one waits for it. */
  readonly #last = new Map<string, Promise<void>>();
  #session: Session | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param prefix of the names in the browser's storage, unique to the installation and the member. */
  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /** Takes up what other tabs left, now and when one of them goes, and sends what waits whenever the connection or the login is back. */
  begin(live: LiveHub, session: Session): void {
    this.#session = session;
    for (const stored of this.#stored()) void this.#takeUp(stored);
    // Without locks it isn't known whether the other tab is still there: what it leaves is taken up by the next one that is opened.
    if ('locks' in navigator)
      addEventListener('storage', ({ key, newValue }) => {
        const stored = key?.startsWith(this.#prefix) && newValue !== null ? storedFrom(newValue) : undefined;
        if (stored) void this.#takeUp(stored);
      });
    live.state.watch(() => live.state.get().state === 'live' && this.#sendWaiting());
    session.state.watch(() => session.state.get().phase === 'in' && this.#sendWaiting());
    addEventListener('online', () => this.#sendWaiting());
  }

  send(id: string, input: object, about: string): Promise<unknown> {
    const stored: Stored = { key: randomKey(), id, about, input, at: Date.now() };
    const answer = new Promise<unknown>((resolve, reject) => this.#waiters.set(stored.key, { resolve, reject }));
    this.#unstored.set(stored.key, unstored.begin());
    const waits = this.entries.get().some((entry) => entry.about === about && entry.state === 'waiting');
    this.#add(stored, waits ? 'waiting' : 'sending');
    // Held before it is stored, so that no other tab takes it up.
    void this.#hold(stored.key).then(() => {
      this.#store(stored);
      return waits ? this.#sendWaiting() : this.#queue(stored);
    });
    return answer;
  }

  /** Forgets everything, in the browser's storage too. */
  clear(): void {
    for (const { key } of this.#stored()) localStorage.removeItem(this.#prefix + key);
    for (const end of this.#unstored.values()) end();
    this.entries.set([]);
  }

  /** Takes up a call as soon as no other tab has it under way, unless it has its answer by then. */
  async #takeUp({ key }: Stored): Promise<void> {
    if (this.#has(key)) return;
    await this.#hold(key);
    const stored = this.#has(key) ? undefined : this.#stored().find((each) => each.key === key);
    if (stored === undefined) return this.#let(key);
    this.#add(stored, isOld(stored) ? 'old' : 'sending');
    if (!isOld(stored)) await this.#queue(stored);
  }

  /** Sends a call after those about the same thing: a later message must not overtake an earlier one. */
  #queue(stored: Stored): Promise<void> {
    const before = this.#last.get(stored.about) ?? Promise.resolve();
    const sent = before.then(() => this.#send(stored));
    this.#last.set(stored.about, sent);
    return sent;
  }

  async #send(stored: Stored): Promise<void> {
    if (!this.#has(stored.key)) return;
    // An earlier one about the same waits: this one waits behind it.
    const isBehind = this.entries.get().some(({ about, at, state }) => about === stored.about && at < stored.at && state === 'waiting');
    if (isBehind) return this.#change(stored.key, { state: 'waiting', error: undefined });
    this.#change(stored.key, { state: 'sending', error: undefined });
    try {
      const answer = await this.#call(stored);
      this.#remove(stored.key);
      this.#settle(stored.key)?.resolve(answer);
    } catch (error) {
      if (error === logged_out || isPassing(error) || isMissing(error)) {
        this.#change(stored.key, { state: 'waiting', error: failureOf(error) });
        this.#timer ??= setTimeout(() => this.#sendWaiting(), retry_ms);
        return;
      }
      this.#change(stored.key, { state: 'failed', error: failureOf(error) });
      this.#settle(stored.key)?.reject(error);
    }
  }

  /** Calls the operation. If the login has ended it is taken back, because the member may return when it is no longer meant. */
  async #call({ id, input, key }: Stored): Promise<unknown> {
    const session = this.#session;
    const abort = new AbortController();
    const ended = new Promise<never>((_resolve, reject) => {
      abort.signal.addEventListener('abort', () => reject(logged_out));
    });
    const look = () => session?.state.get().phase === 'expired' && abort.abort(logged_out);
    const stop = session?.state.watch(look);
    look();
    try {
      return await Promise.race([callOperation(id, input, { idempotency_key: key, signal: abort.signal }), ended]);
    } finally {
      stop?.();
    }
  }

  /** Sends what waits, in its order. The member is asked about what has waited for long. */
  #sendWaiting(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#session?.state.get().phase === 'expired') return;
    for (const entry of this.entries.get()) {
      if (entry.state !== 'waiting') continue;
      if (isOld(entry)) this.#change(entry.key, { state: 'old' });
      else {
        this.#change(entry.key, { state: 'sending' });
        void this.#queue(entry);
      }
    }
  }

  #has(key: string): boolean {
    return this.entries.get().some((entry) => entry.key === key);
  }

  #add(stored: Stored, state: Entry['state']): void {
    const entry: Entry = {
      ...stored,
      created_at: new Date(stored.at).toISOString(),
      state,
      error: undefined,
      again: () => void this.#queue(stored),
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
    this.#endUnstored(key);
    this.#let(key);
  }

  #settle(key: string): Waiter | undefined {
    const waiter = this.#waiters.get(key);
    this.#waiters.delete(key);
    return waiter;
  }

  #store(stored: Stored): void {
    try {
      localStorage.setItem(this.#prefix + stored.key, JSON.stringify(stored));
      this.#endUnstored(stored.key);
    } catch {
      // Too large, or storage is switched off: it is sent all the same, and leaving before that asks.
    }
  }

  #endUnstored(key: string): void {
    this.#unstored.get(key)?.();
    this.#unstored.delete(key);
  }

  #stored(): Stored[] {
    try {
      const names = Object.keys(localStorage).filter((name) => name.startsWith(this.#prefix));
      return names.flatMap((name) => storedFrom(localStorage.getItem(name)) ?? []).sort((one, other) => one.at - other.at);
    } catch {
      return [];
    }
  }

  /** Holds a call for this tab as long as it lives; resolves when no other tab has it. */
  #hold(key: string): Promise<void> {
    if (!('locks' in navigator)) return Promise.resolve();
    return new Promise((resolve) => {
      const held = () => {
        resolve();
        return new Promise<void>((release) => this.#release.set(key, release));
      };
      // A browser that forbids storage refuses locks, too.
      navigator.locks.request(this.#prefix + key, held).catch(() => resolve());
    });
  }

  #let(key: string): void {
    this.#release.get(key)?.();
    this.#release.delete(key);
  }
}

function isOld({ at }: Pick<Stored, 'at'>): boolean {
  return Date.now() - at > ask_after_ms;
}

/** Returns whether the operation isn't there: its extension is stopped, and may come back. */
function isMissing(error: unknown): boolean {
  return isFailure(error) && error.code === 'operation_not_found';
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
