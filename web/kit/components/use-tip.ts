import { type FocusEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';

const open_after_ms = 600;
const close_after_ms = 80;
/** Time after a text was shown in which the next one appears at once: the person is looking for something. */
const warm_ms = 500;

let warm_until = 0;

/** Decides when the text beside an element is shown. Returns the element meanwhile, and the handlers for it and for the text. */
export function useTip() {
  const [anchor, setAnchor] = useState<Element>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const functions = useMemo(() => {
    const after = (ms: number, run: () => void) => {
      clearTimeout(timer.current);
      timer.current = setTimeout(run, ms);
    };
    const hide = () => {
      clearTimeout(timer.current);
      setAnchor(undefined);
    };
    const stay = () => clearTimeout(timer.current);
    const leave = () => after(close_after_ms, hide);
    const onPointerEnter = ({ currentTarget, pointerType }: PointerEvent) => {
      // A finger presses; it doesn't point.
      if (pointerType === 'touch') return;
      after(performance.now() < warm_until ? 0 : open_after_ms, () => setAnchor(currentTarget));
    };
    const onFocus = ({ currentTarget, target }: FocusEvent) => {
      if (target.matches(':focus-visible')) setAnchor(currentTarget);
    };
    return { stay, leave, hide, handlers: { onPointerEnter, onPointerLeave: leave, onPointerDown: hide, onFocus, onBlur: hide } };
  }, []);
  const { stay, leave, hide, handlers } = functions;
  useEffect(() => () => clearTimeout(timer.current), []);
  useEffect(() => {
    if (!anchor) return undefined;
    const pressed = ({ key }: KeyboardEvent) => key === 'Escape' && hide();
    // Within a list that scrolls the element moves away from its text.
    addEventListener('scroll', hide, { capture: true, passive: true });
    addEventListener('keydown', pressed, { capture: true });
    return () => {
      warm_until = performance.now() + warm_ms;
      removeEventListener('scroll', hide, { capture: true });
      removeEventListener('keydown', pressed, { capture: true });
    };
  }, [anchor, hide]);
  return { anchor, stay, leave, ...handlers };
}
