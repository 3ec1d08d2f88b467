import { type KeyboardEvent, type ReactElement, type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { Virtualizer, type VirtualizerHandle } from 'virtua';
import { classes } from './classes.js';
import { ListScroller } from './list-scroller.js';

/** Place of a list: the first visible item, how far it is scrolled out at the top, and whether the end is in sight. */
export interface ListPlace {
  key: string;
  offset: number;
  isAtEnd: boolean;
}

export interface VirtualListHandle {
  scrollToEnd(): void;
  /** Scrolls an item into view, and focuses it if wanted. */
  show(key: string, options?: { align?: 'start' | 'center' | 'end' | 'nearest'; focus?: boolean }): void;
}

export interface VirtualListProps<Item> {
  items: readonly Item[];
  /** Identifies an item. Its element must have the key as `data-key`. */
  keyOf: (item: Item) => string;
  children: (item: Item, index: number) => ReactElement;
  label: string;
  /** Whether items were added or removed at the beginning in this rendering. */
  shift?: boolean;
  /** Where the list begins. Default: at its end. */
  start?: ListPlace | { key: string; align: 'start' | 'center' } | undefined;
  isBusy?: boolean;
  /** The beginning or the end is near. Called again while it stays near and the items change. */
  onNearStart?: () => void;
  onNearEnd?: () => void;
  /** Called when scrolling stops. */
  onPlace?: (place: ListPlace) => void;
  /** Called when the end comes into sight or leaves it. */
  onAtEnd?: (isAtEnd: boolean) => void;
  /** Called for keys that are pressed in the list. */
  onKeyDown?: ((event: KeyboardEvent<HTMLElement>) => void) | undefined;
  className?: string;
  ref?: Ref<VirtualListHandle>;
}

/**
 * Shows a list of many items of different heights, which grows at both ends and stays at its end if it is there. Only items in sight are
 * drawn.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { items, children, label, shift = false, start, isBusy = false, onKeyDown, className, ref } = props;
  const list = useRef<VirtualizerHandle>(null);
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(props as VirtualListProps<unknown>);
  latest.current = props as VirtualListProps<unknown>;
  const [scroller] = useState(() => new ListScroller({ list, element, latest }));
  const first = useRef(start);
  useLayoutEffect(() => scroller.begin(first.current), [scroller]);
  useEffect(() => scroller.itemsChanged(items), [scroller, items]);
  useEffect(() => scroller.follow(), [scroller]);
  useImperativeHandle(ref, () => scroller, [scroller]);
  return (
    <div
      ref={element}
      className={classes('kit-virtual', className)}
      role="feed"
      aria-label={label}
      aria-busy={isBusy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={scroller.scrolled}
      onWheel={scroller.moved}
      onTouchMove={scroller.moved}
      onKeyDown={(event) => {
        scroller.moved();
        onKeyDown?.(event);
      }}
      onPointerDown={scroller.moved}
      onPointerMove={({ buttons }) => buttons > 0 && scroller.moved()}
    >
      <div className="kit-virtual-space" />
      <Virtualizer ref={list} data={items} scrollRef={element} shift={shift} bufferSize={400} onScrollEnd={scroller.stopped}>
        {children}
      </Virtualizer>
    </div>
  );
}
