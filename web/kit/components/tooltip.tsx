import { cloneElement, type HTMLAttributes, type ReactElement, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react';
import { createPortal } from 'react-dom';
import { useTip } from './use-tip.js';

export interface TooltipProps {
  text: string;
  /** One element that can take the focus. */
  children: ReactElement;
}

/** Shows a short text beside an element that is pointed at or focused. It repeats or adds a detail; nothing must depend on it. */
export function Tooltip({ text, children }: TooltipProps) {
  const id = useId();
  const { anchor, stay, leave, ...handlers } = useTip();
  const child = children as ReactElement<HTMLAttributes<HTMLElement>>;
  // A text that is the element's name already needn't be read twice.
  const describes = anchor !== undefined && child.props['aria-label'] !== text;
  return (
    <>
      {cloneElement(child, { ...chained(child.props, handlers), ...(describes && { 'aria-describedby': id }) })}
      {anchor && (
        <Tip id={id} anchor={anchor} stay={stay} leave={leave}>
          {text}
        </Tip>
      )}
    </>
  );
}

interface TipProps {
  id: string;
  anchor: Element;
  /** The pointer may move onto the text (WCAG 2.2, 1.4.13). */
  stay: () => void;
  leave: () => void;
  children: string;
}

function Tip({ id, anchor, stay, leave, children }: TipProps) {
  const tip = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another text has another width
  useLayoutEffect(() => {
    if (tip.current) place(tip.current, anchor.getBoundingClientRect());
  }, [anchor, children]);
  return createPortal(
    // React Aria hides everything beside its dialogs, except what is marked as a layer above them.
    <div
      ref={tip}
      id={id}
      role="tooltip"
      className="kit-tooltip"
      data-react-aria-top-layer="true"
      onPointerEnter={stay}
      onPointerLeave={leave}
    >
      {children}
    </div>,
    document.body,
  );
}

const gap_px = 6;
const edge_px = 12;

/** Places the text above its element, or below it where there is no room, within the window. */
function place(tip: HTMLElement, { top, bottom, left, width }: DOMRect): void {
  const above = top - gap_px - tip.offsetHeight;
  const wanted = left + width / 2 - tip.offsetWidth / 2;
  const max = document.documentElement.clientWidth - edge_px - tip.offsetWidth;
  tip.style.top = `${above >= edge_px ? above : bottom + gap_px}px`;
  tip.style.left = `${Math.max(edge_px, Math.min(wanted, max))}px`;
}

type Handlers = Record<string, (event: never) => void>;

/** Returns handlers that call those of the element, too. */
function chained(props: HTMLAttributes<HTMLElement>, handlers: Handlers): HTMLAttributes<HTMLElement> {
  const own = props as Readonly<Record<string, unknown>>;
  const all = Object.entries(handlers).map(([name, handle]) => {
    const first = own[name];
    const both = (event: SyntheticEvent) => {
      if (typeof first === 'function') first(event);
      handle(event as never);
    };
    return [name, both];
  });
  return Object.fromEntries(all) as HTMLAttributes<HTMLElement>;
}
