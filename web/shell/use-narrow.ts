import { useSyncExternalStore } from 'react';

const narrow = matchMedia('(max-width: 719px)');

function watch(changed: () => void): () => void {
  narrow.addEventListener('change', changed);
  return () => narrow.removeEventListener('change', changed);
}

/** Returns whether the window is too narrow for the navigation beside the page. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => narrow.matches);
}
