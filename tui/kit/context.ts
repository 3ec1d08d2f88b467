import { createContext, useContext } from 'react';
import type { Keys } from './keys.js';
import type { Live } from './live.js';

export type NotifyKind = 'info' | 'error';

/** What the dashboard gives to all that is drawn in it. */
export interface Dashboard {
  keys: Keys;
  live: Live;
  notify: (text: string, kind?: NotifyKind) => void;
  /** Tells of something thrown: its sentence, its code, and what helps. */
  failed: (thrown: unknown) => void;
  clock: () => number;
  coloured: boolean;
  readonly: boolean;
  /** Told how many reads began (1) and ended (-1): a single frame waits for its first ones. */
  reading: (change: 1 | -1) => void;
  /** What views keep while another one is shown, by names of their own. */
  kept: Map<string, unknown>;
}

const DashboardContext = createContext<Dashboard | undefined>(undefined);

export const DashboardProvider = DashboardContext.Provider;

export function useDashboard(): Dashboard {
  const dashboard = useContext(DashboardContext);
  if (dashboard === undefined) throw new Error('This is drawn within a dashboard only');
  return dashboard;
}

/** In characters. */
export interface Size {
  columns: number;
  rows: number;
}

const SpaceContext = createContext<Size>({ columns: 80, rows: 24 });

/** Says to what lies within how much it may draw. */
export const Space = SpaceContext.Provider;

export function useSpace(): Size {
  return useContext(SpaceContext);
}

const DepthContext = createContext(0);

/** Says to what lies within how deep its keys lie. */
export const Depth = DepthContext.Provider;

export function useDepth(): number {
  return useContext(DepthContext);
}

const FocusContext = createContext(true);

/** Says to what lies within whether keys are meant for it. */
export const Focus = FocusContext.Provider;

export function useFocus(): boolean {
  return useContext(FocusContext);
}
