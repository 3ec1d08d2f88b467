import { useLayoutEffect, useRef } from 'react';
import { useDashboard, useDepth } from './context.js';
import type { Binding } from './keys.js';

/** Listens to keys while `active`; they stand in the footer and in the help. */
export function useKeys(bindings: readonly Binding[], active: boolean): void {
  useLayer(bindings, active, undefined);
}

/** Takes what is typed while `active`, each key by its name as in {@link Binding}; gives whether it has taken it. */
export function useTyping(type: (key: string) => boolean, active: boolean, bindings: readonly Binding[] = []): void {
  useLayer(bindings, active, type);
}

function useLayer(bindings: readonly Binding[], active: boolean, type: ((key: string) => boolean) | undefined): void {
  const { keys } = useDashboard();
  const depth = useDepth();
  const latest = useRef({ bindings, type });
  useLayoutEffect(() => {
    latest.current = { bindings, type };
  });
  const isTyping = type !== undefined;
  // What is shown of them; whoever shows them draws anew when it changes.
  const shown = bindings.map(({ key, label, quiet }) => `${key} ${label} ${quiet}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the layer is another one for the footer when what is shown changes
  useLayoutEffect(() => {
    if (!active) return undefined;
    return keys.add({
      depth,
      bindings: () => latest.current.bindings,
      ...(isTyping ? { type: (key: string) => latest.current.type?.(key) ?? false } : {}),
    });
  }, [keys, depth, active, isTyping, shown]);
}
