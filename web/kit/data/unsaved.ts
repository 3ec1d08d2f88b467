import { useEffect } from 'react';
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

/** Says whether the component holds changes that aren't saved: leaving then asks first, and no new version is offered meanwhile. */
export function useUnsaved(isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? unsaved.begin() : undefined), [isUnsaved]);
}
