import { hashKey, type QueryClient, type QueryKey } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { connection } from './connection.js';
import type { LiveHub } from './live-hub.js';

const gather_ms = 50;

interface Wish {
  readonly key: QueryKey;
  /** Equal for equal keys. */
  readonly hash: string;
  readonly types: readonly string[];
}

/** Reads cached answers again when frames arrive. */
export class ReadAgain {
  readonly #query: QueryClient;
  readonly #wishes = new Set<Wish>();
  readonly #due = new Map<string, QueryKey>();
  #isPlanned = false;

  constructor(query: QueryClient, live: LiveHub) {
    this.#query = query;
    live.listen(({ type }) => this.#onFrame(type));
    // Frames may have been missed.
    live.onAgain(() => void query.invalidateQueries());
  }

  /** Reads again what failed: an extension has come back, or may be called now. */
  retryFailed(): void {
    void this.#query.invalidateQueries({ predicate: ({ state }) => state.status === 'error' });
  }

  add(wish: Wish): () => void {
    this.#wishes.add(wish);
    return () => this.#wishes.delete(wish);
  }

  #onFrame(type: string): void {
    for (const { key, hash, types } of this.#wishes) if (isOneOf(type, types)) this.#due.set(hash, key);
    if (this.#due.size > 0) this.#plan();
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => this.#read(), gather_ms);
  }

  /** Reads what is due. An answer that is on its way may be older than the frame, so the next request waits for it. */
  #read(): void {
    this.#isPlanned = false;
    for (const [hash, queryKey] of [...this.#due]) {
      if (this.#query.getQueryState(queryKey)?.fetchStatus === 'fetching') continue;
      this.#due.delete(hash);
      void this.#query.invalidateQueries({ queryKey, exact: true });
    }
    if (this.#due.size > 0) this.#plan();
  }
}

/** Returns whether the type is one of the list: `node.updated`, or `node.*` for all that begin so. */
export function isOneOf(type: string, types: readonly string[]): boolean {
  return types.some((each) => each === type || (each.endsWith('*') && type.startsWith(each.slice(0, -1))));
}

/** Reads an answer again after frames of these types, while the component is shown. */
export function useReadAgainOn(key: QueryKey, types: readonly string[] | undefined): void {
  const { live } = connection();
  const hash = hashKey(key);
  const list = (types ?? []).join(' ');
  // The key is a new array each time; an equal one has the same hash.
  const latest = useRef(key);
  latest.current = key;
  useEffect(() => {
    if (list === '') return undefined;
    const all = list.split(' ');
    const ends = [live.readAgain.add({ key: latest.current, hash, types: all }), ...live.wantTopicsOf(all)];
    return () => {
      for (const end of ends) end();
    };
  }, [live, hash, list]);
}
