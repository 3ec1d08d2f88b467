import { useLayoutEffect, useRef } from 'react';
import { useDashboard, useDepth } from './context.js';
import type { Binding } from './keys.js';

/** Adds key bindings while `active`; footer and help list them. */
export function useKeys(bindings: readonly Binding[], active: boolean): void {
  useLayer(bindings, active, undefined);
}

/** Receives all keys while `active`, by their names as in {@link Binding}; `type` returns whether it handled the key. */
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
  // The displayed part of the bindings; footer and help redraw when it changes.
  const shown = bindings.map(({ key, label, quiet }) => `${key} ${label} ${quiet}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the footer needs a new layer when the displayed part changes
  useLayoutEffect(() => {
    if (!active) return undefined;
    return keys.add({
      depth,
      bindings: () => latest.current.bindings,
      ...(isTyping ? { type: (key: string) => latest.current.type?.(key) ?? false } : {}),
    });
  }, [keys, depth, active, isTyping, shown]);
}
