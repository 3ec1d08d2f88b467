import { useEffect, useRef } from 'react';
import { useValue, Value } from '../data/value.js';

/** A part of the app that loads when it is first wanted, so that the first view doesn't wait for it. */
export class Late<Part> {
  /** The part; undefined until it is loaded. */
  readonly part = new Value<Part | undefined>(undefined);
  readonly #import: () => Promise<Part>;
  #loading: Promise<void> | undefined;

  constructor(load: () => Promise<Part>) {
    this.#import = load;
  }

  /** Loads the part unless that has begun. Rejects if it can't be loaded; the next call then tries again. */
  load(): Promise<void> {
    this.#loading ??= this.#import().then(
      (part) => this.part.set(part),
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }
}

/** Returns the part once it is loaded, which begins as soon as it is wanted. Calls `failed` if it can't be loaded. */
export function useLate<Part>(late: Late<Part>, isWanted: boolean, failed: () => void): Part | undefined {
  const latest = useRef(failed);
  useEffect(() => {
    latest.current = failed;
  });
  useEffect(() => {
    if (isWanted) late.load().catch(() => latest.current());
  }, [late, isWanted]);
  return useValue(late.part);
}
