import { useState } from 'react';
import { useDashboard } from './context.js';

/** Holds state like React's `useState`, but retains it while another view is shown. `name` is unique in the dashboard. */
export function useViewState<T>(name: string, first: T): [T, (value: T) => void] {
  const { viewState } = useDashboard();
  const [value, setValue] = useState(() => (viewState.has(name) ? (viewState.get(name) as T) : first));
  const update = (next: T) => {
    viewState.set(name, next);
    setValue(next);
  };
  return [value, update];
}
