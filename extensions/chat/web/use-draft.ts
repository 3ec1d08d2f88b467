import { useKept, useKeptSelection } from '@platform/kit';
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';

export const max_length = 32_000;
export const warn_length = 30_000;
const keep_ms = 300;

export interface Draft {
  field: RefObject<HTMLTextAreaElement | null>;
  /** Ref of the field. */
  attach: (element: HTMLTextAreaElement | null) => void;
  /** The text with which the field begins. */
  initial: string;
  /** Length of the text: exact where it decides what is shown. */
  length: number;
  set: (value: string, caret?: number) => void;
  /** Call it for each change by the person. */
  changed: () => void;
}

/**
 * A text that lives in its field, so that a key costs the same however long the conversation is; it is kept as a draft a moment later, and when
 * the field or the tab goes.
 */
export function useDraft(name: string): Draft {
  const key = `chat.draft.${name}`;
  const [kept, keep] = useKept(key, '', { persisted: true });
  const [length, setLength] = useState(kept.length);
  const field = useRef<HTMLTextAreaElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const selection = useKeptSelection(key);
  const flush = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    if (field.current) keep(field.current.value);
  }, [keep]);
  useEffect(() => {
    addEventListener('pagehide', flush);
    return () => removeEventListener('pagehide', flush);
  }, [flush]);
  useLayoutEffect(() => grow(field.current), []);
  const attach = useCallback(
    (element: HTMLTextAreaElement | null) => {
      field.current = element;
      const leave = selection(element);
      return () => {
        clearTimeout(timer.current);
        if (element) keep(element.value);
        field.current = null;
        if (typeof leave === 'function') leave();
      };
    },
    [selection, keep],
  );
  const set = useCallback(
    (value: string, caret = value.length) => {
      const { current: area } = field;
      if (!area) return;
      area.value = value;
      area.setSelectionRange(caret, caret);
      grow(area);
      setLength(value.length);
      flush();
    },
    [flush],
  );
  const changed = () => {
    const { current: area } = field;
    if (!area) return;
    grow(area);
    const now = area.value.length;
    // State changes only where something is shown differently, because each costs a drawing.
    if ((now === 0) !== (length === 0) || now > warn_length || length > warn_length) setLength(now);
    timer.current ??= setTimeout(flush, keep_ms);
  };
  return { field, attach, initial: kept, length, set, changed };
}

/** Makes the field as tall as its text in browsers without `field-sizing`. */
function grow(area: HTMLTextAreaElement | null): void {
  if (!area || CSS.supports('field-sizing', 'content')) return;
  area.style.height = 'auto';
  area.style.height = `${area.scrollHeight}px`;
}
