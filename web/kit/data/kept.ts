import { type RefCallback, useCallback, useRef, useSyncExternalStore } from 'react';
import { connection } from './connection.js';
import { unstored } from './unsaved.js';

interface Slot {
  value: unknown;
  /** Initial value. */
  initial: unknown;
  persisted: boolean;
  /** Whether it differs from what the page began with. */
  changed: boolean;
}

const write_ms = 200;

/**
 * State of the pages that outlives a replacement of their module and, if it is persisted, the tab. It belongs to one member of one
 * installation and goes at log-out.
 */
export class Kept {
  readonly #prefix: string;
  readonly #slots = new Map<string, Slot>();
  readonly #watchers = new Map<string, Set<() => void>>();
  readonly #unwritten = new Set<string>();
  /** Ends the mark of each value that couldn't be written. */
  readonly #lost = new Map<string, () => void>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param prefix of the names in the browser's storage, unique to the installation and the member. */
  constructor(prefix: string) {
    this.#prefix = prefix;
    addEventListener('pagehide', () => this.flush());
    document.addEventListener('visibilitychange', () => document.hidden && this.flush());
    addEventListener('storage', ({ key, newValue }) => {
      // A tab that somebody looks at keeps what is typed there.
      if (document.hidden && key?.startsWith(this.#prefix)) this.#adopt(key.slice(this.#prefix.length), newValue);
    });
  }

  get<T>(key: string, initial: T, persisted = false): T {
    return this.#slot(key, initial, persisted).value as T;
  }

  set<T>(key: string, next: T, { initial, persisted = false }: { initial: T; persisted?: boolean }): void {
    const slot = this.#slot(key, initial, persisted);
    if (Object.is(slot.value, next)) return;
    slot.value = next;
    slot.changed = !isEqual(next, initial);
    if (persisted) this.#write(key);
    this.#notify(key);
  }

  watch(key: string, changed: () => void): () => void {
    const watchers = this.#watchers.get(key) ?? new Set();
    this.#watchers.set(key, watchers.add(changed));
    return () => {
      watchers.delete(changed);
      if (watchers.size === 0) this.#watchers.delete(key);
    };
  }

  /** Writes persisted values now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const key of this.#unwritten) {
      const slot = this.#slots.get(key);
      try {
        if (slot?.changed) localStorage.setItem(this.#prefix + key, JSON.stringify(slot.value));
        else localStorage.removeItem(this.#prefix + key);
        this.#markLost(key, false);
      } catch {
        // Storage is full or switched off: the value lives as long as the tab, so leaving asks.
        this.#markLost(key, slot?.changed === true);
      }
    }
    this.#unwritten.clear();
  }

  /** Forgets everything, in the browser's storage too. */
  clear(): void {
    this.#slots.clear();
    this.#unwritten.clear();
    for (const key of this.#lost.keys()) this.#markLost(key, false);
    clearStored(this.#prefix);
  }

  #slot(key: string, initial: unknown, persisted: boolean): Slot {
    const found = this.#slots.get(key);
    if (found) {
      // Until somebody changes it, it is the page's present initial value.
      if (!found.changed && !isEqual(found.value, initial)) found.value = initial;
      found.initial = initial;
      return found;
    }
    const stored = persisted ? fitting(readStored(this.#prefix + key), initial) : undefined;
    const slot = { value: stored ?? initial, initial, persisted, changed: stored !== undefined };
    this.#slots.set(key, slot);
    return slot;
  }

  /** Takes over what another tab has written, unless this one is about to write. */
  #adopt(key: string, text: string | null): void {
    const slot = this.#slots.get(key);
    if (!slot?.persisted || this.#unwritten.has(key)) return;
    const value = text === null ? undefined : fitting(parsed(text), slot.initial);
    slot.value = value ?? slot.initial;
    slot.changed = value !== undefined;
    this.#notify(key);
  }

  #notify(key: string): void {
    for (const changed of [...(this.#watchers.get(key) ?? [])]) changed();
  }

  #markLost(key: string, isLost: boolean): void {
    if (isLost === this.#lost.has(key)) return;
    if (isLost) this.#lost.set(key, unstored.begin());
    else this.#lost.get(key)?.();
    if (!isLost) this.#lost.delete(key);
  }

  #write(key: string): void {
    this.#unwritten.add(key);
    this.#timer ??= setTimeout(() => this.flush(), write_ms);
  }
}

/** Removes everything from the browser's storage whose name begins with the prefix. */
export function clearStored(prefix: string): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name);
  } catch {
    // Nothing was stored.
  }
}

function readStored(name: string): unknown {
  try {
    return parsed(localStorage.getItem(name) ?? 'null');
  } catch {
    return undefined;
  }
}

function parsed(text: string): unknown {
  try {
    return (JSON.parse(text) as unknown) ?? undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a stored value if it has the form of the initial one; undefined otherwise. Another version of a page may have stored it, or a person
 * with the browser's tools, and a page must not break on it at each visit.
 */
function fitting(stored: unknown, initial: unknown): unknown {
  if (initial === undefined || initial === null || stored === undefined) return stored;
  if (formOf(stored) !== formOf(initial)) return undefined;
  if (formOf(initial) !== 'object') return stored;
  const [given, wanted] = [stored, initial] as Readonly<Record<string, unknown>>[];
  const fits = Object.entries(wanted ?? {}).every(([name, value]) => value === null || formOf(given?.[name]) === formOf(value));
  return fits ? stored : undefined;
}

function formOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
}

function isEqual(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other);
}

/**
 * State under a key that is unique in the web app, such as `chat.draft.<session_id>`. It survives a replacement of the page's module and a
 * change of the address; `persisted` values survive the tab too, so they must be JSON. All of it goes at log-out.
 */
export function useKept<T>(
  key: string,
  initial: T,
  { persisted = false }: { persisted?: boolean } = {},
): [T, (next: T | ((before: T) => T)) => void] {
  const { kept } = connection();
  const value = useSyncExternalStore(
    useCallback((changed) => kept.watch(key, changed), [kept, key]),
    () => kept.get(key, initial, persisted),
  );
  const first = useRef(initial);
  first.current = initial;
  const set = useCallback(
    (next: T | ((before: T) => T)) => {
      const options = { initial: first.current, persisted };
      const before = kept.get(key, options.initial, persisted);
      kept.set(key, typeof next === 'function' ? (next as (before: T) => T)(before) : next, options);
    },
    [kept, key, persisted],
  );
  return [value, set];
}

/** Returns a ref for an element that scrolls: it takes up the position that it had when it was last shown. */
export function useKeptScroll(key: string): RefCallback<HTMLElement> {
  const { kept } = connection();
  return useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return undefined;
      const name = `scroll ${key}`;
      const none: readonly [number, number] = [0, 0];
      [element.scrollLeft, element.scrollTop] = kept.get(name, none);
      const onScroll = () => kept.set(name, [element.scrollLeft, element.scrollTop] as const, { initial: none });
      element.addEventListener('scroll', onScroll, { passive: true });
      return () => element.removeEventListener('scroll', onScroll);
    },
    [kept, key],
  );
}

interface KeptSelection {
  readonly start: number;
  readonly end: number;
  readonly direction: 'forward' | 'backward' | 'none';
}

/** Returns a ref for a field of text: it takes up the caret that it had when it was last shown. The shell restores the focus after a swap. */
export function useKeptSelection(key: string): RefCallback<HTMLTextAreaElement | HTMLInputElement> {
  const { kept } = connection();
  return useCallback(
    (element: HTMLTextAreaElement | HTMLInputElement | null) => {
      if (element === null) return undefined;
      const name = `selection ${key}`;
      const none: KeptSelection | undefined = undefined;
      const before = kept.get<KeptSelection | undefined>(name, none);
      if (before) element.setSelectionRange(before.start, before.end, before.direction);
      const onSelect = () => {
        const { selectionStart, selectionEnd, selectionDirection } = element;
        const next = { start: selectionStart ?? 0, end: selectionEnd ?? 0, direction: selectionDirection ?? 'none' };
        kept.set<KeptSelection | undefined>(name, next, { initial: none });
      };
      const events = ['select', 'keyup', 'input', 'blur'] as const;
      for (const event of events) element.addEventListener(event, onSelect);
      return () => {
        for (const event of events) element.removeEventListener(event, onSelect);
      };
    },
    [kept, key],
  );
}
