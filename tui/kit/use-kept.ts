import { useState } from 'react';
import { useDashboard } from './context.js';

/** As React's `useState`, but what it holds is still there when the view is shown again. `name` is one for the whole dashboard. */
export function useKept<T>(name: string, first: T): [T, (value: T) => void] {
  const { kept } = useDashboard();
  const [value, setValue] = useState(() => (kept.has(name) ? (kept.get(name) as T) : first));
  const keep = (next: T) => {
    kept.set(name, next);
    setValue(next);
  };
  return [value, keep];
}
