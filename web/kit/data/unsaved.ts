import { useCallback, useEffect, useRef } from 'react';
import { Value } from './value.js';

/** Counts what would be lost by leaving the page. */
class Running {
  readonly count = new Value(0);

  begin(): () => void {
    this.count.update((before) => before + 1);
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      this.count.update((before) => before - 1);
    };
  }
}

/** Calls that change something and have no answer yet. */
export const writes = new Running();

/** Forms with changes that weren't saved. */
export const unsaved = new Running();

/** Texts that only this tab has, because the browser's storage is full or switched off: closing the tab would lose them. */
export const unstored = new Running();

/**
 * Says whether the component holds changes that aren't saved: leaving then asks first, and no new version is offered meanwhile. Returns a
 * function that ends this at once, for a component that leaves the page itself after its changes were saved or discarded.
 */
export function useUnsaved(isUnsaved: boolean): () => void {
  const end = useRef<() => void>(undefined);
  useEffect(() => {
    if (!isUnsaved) return undefined;
    const ends = unsaved.begin();
    end.current = ends;
    return ends;
  }, [isUnsaved]);
  return useCallback(() => end.current?.(), []);
}
