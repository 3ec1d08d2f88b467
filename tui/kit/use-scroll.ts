import { useState } from 'react';
import type { Binding } from './keys.js';
import { useKeys } from './use-keys.js';

export interface ScrollOptions {
  /** Number of lines. */
  count: number;
  /** Number of visible lines. */
  room: number;
  /** Whether it starts at the end and follows it, until the person scrolls up. */
  follow: boolean;
  /** Whether it receives keys. */
  active: boolean;
}

/** Scrolls by keys; returns the index of the first visible line. */
export function useScroll({ count, room, follow, active }: ScrollOptions): number {
  const max = Math.max(0, count - room);
  // Undefined means at the end, and follows it.
  const [from, setFrom] = useState<number | undefined>(follow ? undefined : 0);
  const top = Math.min(from ?? max, max);
  const go = (wanted: number) => setFrom(wanted >= max && follow ? undefined : Math.max(0, Math.min(wanted, max)));
  useKeys(scrolling({ top, room, max, go }), active);
  return top;
}

interface Scrolling {
  top: number;
  room: number;
  max: number;
  go: (wanted: number) => void;
}

function scrolling({ top, room, max, go }: Scrolling): Binding[] {
  const move = (keys: readonly string[], label: string, wanted: number): Binding[] =>
    keys.map((key) => ({ key, label, quiet: true, run: () => go(wanted) }));
  return [
    ...move(['up', 'k'], 'up', top - 1),
    ...move(['down', 'j'], 'down', top + 1),
    ...move(['pgup'], 'page up', top - room),
    ...move(['pgdn', ' '], 'page down', top + room),
    ...move(['g', 'home'], 'start', 0),
    ...move(['G', 'end'], 'end', max),
  ];
}
