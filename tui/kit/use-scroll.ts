import { useState } from 'react';
import type { Binding } from './keys.js';
import { useKeys } from './use-keys.js';

export interface ScrollOptions {
  /** How many lines there are. */
  count: number;
  /** How many of them are seen at once. */
  room: number;
  /** Whether it begins at its end and follows it, until one scrolls up, and again from there. */
  follow: boolean;
  /** Whether keys are meant for it. */
  active: boolean;
}

/** The first line that is seen of those that scroll by the keys. */
export function useScroll({ count, room, follow, active }: ScrollOptions): number {
  const max = Math.max(0, count - room);
  // Undefined: at the end, wherever that is.
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
    ...move(['pgup'], 'a page up', top - room),
    ...move(['pgdn', ' '], 'a page down', top + room),
    ...move(['g', 'home'], 'to the beginning', 0),
    ...move(['G', 'end'], 'to the end', max),
  ];
}
