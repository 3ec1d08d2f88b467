import { createContext, useContext } from 'react';
import type { Keys } from './keys.js';
import type { Live } from './live.js';

export type NotifyKind = 'info' | 'error';

/** Services that the dashboard provides to its components. */
export interface Dashboard {
  keys: Keys;
  live: Live;
  notify: (text: string, kind?: NotifyKind) => void;
  /** Shows a thrown error: its message, its code, and a hint. */
  failed: (thrown: unknown) => void;
  clock: () => number;
  coloured: boolean;
  readonly: boolean;
  /** Counts reads that start (1) and end (-1): a single frame waits for the first ones. */
  reading: (change: 1 | -1) => void;
  /** State that views retain while another view is shown, by name. */
  viewState: Map<string, unknown>;
}

const DashboardContext = createContext<Dashboard | undefined>(undefined);

export const DashboardProvider = DashboardContext.Provider;

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error('This component must be inside a dashboard');
  return dashboard;
}

/** A size in characters. */
export interface Size {
  columns: number;
  rows: number;
}

const SpaceContext = createContext<Size>({ columns: 80, rows: 24 });

/** Sets the drawing area of its children. */
export const Space = SpaceContext.Provider;

export function useSpace(): Size {
  return useContext(SpaceContext);
}

const DepthContext = createContext(0);

/** Sets the depth of key bindings of its children; deeper ones take precedence. */
export const Depth = DepthContext.Provider;

export function useDepth(): number {
  return useContext(DepthContext);
}

const FocusContext = createContext(true);

/** Sets whether its children receive keys. */
export const Focus = FocusContext.Provider;

export function useFocus(): boolean {
  return useContext(FocusContext);
}
