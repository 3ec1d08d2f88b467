import { type Ref, type RefCallback, useCallback, useLayoutEffect, useRef } from 'react';

/**
 * Makes a text area as tall as its text in browsers without `field-sizing` (CSS Basic User Interface 4); with it the style sheet does, which
 * costs no layout of our own for each key.
 */
export function useGrowing(grows: boolean, outer: Ref<HTMLTextAreaElement> | undefined): RefCallback<HTMLTextAreaElement> {
  const inner = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const area = inner.current;
    if (!grows || area === null || CSS.supports('field-sizing', 'content')) return;
    area.style.height = 'auto';
    area.style.height = `${area.scrollHeight + 2}px`;
  });
  return useCallback(
    (area) => {
      inner.current = area;
      if (typeof outer === 'function') return outer(area);
      if (outer) outer.current = area;
    },
    [outer],
  );
}
