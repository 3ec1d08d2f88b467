import { useCallback, useEffect, useRef, useState } from 'react';

const max_lines = 5_000;
/** Limit of a line without an end. */
const max_line = 10_000;
const draw_ms = 100;

/** Collects text in pieces as lines; redraws at most ten times a second, and keeps the last lines. */
export function useLines(): { lines: readonly string[]; add: (text: string) => void } {
  const all = useRef<string[]>(['']);
  const timer = useRef<NodeJS.Timeout>(undefined);
  const [lines, setLines] = useState<readonly string[]>([]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const add = useCallback((text: string) => {
    const [first = '', ...more] = text.split('\n');
    const last = all.current.pop() ?? '';
    all.current = [...all.current, (last + first).slice(-max_line), ...more].slice(-max_lines);
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setLines(all.current.at(-1) === '' ? all.current.slice(0, -1) : [...all.current]);
    }, draw_ms);
  }, []);
  return { lines, add };
}
