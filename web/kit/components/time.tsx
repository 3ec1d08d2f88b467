import { useSyncExternalStore } from 'react';
import { useFormat } from '../data/index.js';

export interface TimeProps {
  /** ISO 8601. */
  iso: string;
  /** Whether it says how long ago; the full time is in its tooltip. */
  ago?: boolean | undefined;
  /** `time`, the default: the time today, with the date on other days. `exact`: to the second. */
  part?: 'time' | 'date' | 'exact' | undefined;
}

/** Shows a moment in the member's zone and language. */
export function Time({ iso, ago, part = 'time' }: TimeProps) {
  const format = useFormat();
  return (
    <time className="kit-time" dateTime={iso} title={format.exact(iso)}>
      {ago ? <Ago iso={iso} /> : format[part](iso)}
    </time>
  );
}

function Ago({ iso }: { iso: string }) {
  useSyncExternalStore(subscribe, () => minute);
  return useFormat().ago(iso);
}

/** One clock for all: a list of a hundred times has one timer, and none while no time is shown. */
const listeners = new Set<() => void>();
const tick_ms = 30_000;
let minute = 0;
let timer: ReturnType<typeof setInterval> | undefined;

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    minute += 1;
    for (const each of listeners) each();
  }, tick_ms);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
