import { useSyncExternalStore } from 'react';
import { cut, oneLine } from './kit/cells.js';
import { useDashboard, useSpace } from './kit/context.js';
import { Text } from './kit/text.js';

/** What works now. */
export function Footer() {
  const { keys } = useDashboard();
  const { columns } = useSpace();
  useSyncExternalStore(keys.subscribe, keys.snapshot);
  const shown = keys.offered().filter(({ quiet }) => !quiet);
  // What tells of all the others is never cut off.
  const [help, rest] = [shown.filter(({ key }) => key === '?'), shown.filter(({ key }) => key !== '?')];
  const hints = [...help, ...rest].map(({ key, label }) => `<${key}> ${oneLine(label)}`);
  return <Text kind="dim">{cut(hints.join('  '), columns) || ' '}</Text>;
}
