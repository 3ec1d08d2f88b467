import type { RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { VirtualListHandle, VirtualListProps } from './virtual-list.js';

interface Parts {
  list: RefObject<VirtualizerHandle | null>;
  element: RefObject<HTMLDivElement | null>;
  /** The list's properties as they are now. */
  latest: RefObject<VirtualListProps<unknown>>;
}

/** Distance from the end within which the list stays at its end while it grows. */
const end_px = 48;
const near_px = 800;
/** Time after a wheel, a touch or a key in which scrolling is taken for the person's. */
const moving_ms = 700;
/** Frames in which an item that was scrolled to is drawn. */
const max_frames = 20;

/** Decides where a list is scrolled to: where it begins, that it stays at its end, and when further items are needed. */
export class ListScroller implements VirtualListHandle {
  readonly #parts: Parts;
  #isAtEnd = true;
  /** Until the first place is reached, nothing is near: else pages would be read at once in both directions. */
  #isPlaced = false;
  #moved_at = Number.NEGATIVE_INFINITY;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Scrolls to where the list begins; returns the function that ends this. */
  begin(start: VirtualListProps<unknown>['start']): () => void {
    const { list } = this.#parts;
    const index = start === undefined ? -1 : this.#indexOf(start.key);
    this.#isAtEnd = start === undefined || index === -1 || ('isAtEnd' in start && start.isAtEnd);
    if (start === undefined || this.#isAtEnd) this.#toEnd();
    else if ('align' in start) list.current?.scrollToIndex(index, { align: start.align });
    else list.current?.scrollToIndex(index, { align: 'start', offset: start.offset });
    // Items are measured after they are drawn: two frames later the place is final.
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        this.#isPlaced = true;
        this.itemsChanged();
      });
    });
    return () => cancelAnimationFrame(frame);
  }

  /** Keeps the end in sight; new items may also leave the list near its beginning or end. */
  itemsChanged({ length } = this.#parts.latest.current.items): void {
    if (this.#isAtEnd) this.#toEnd(length - 1);
    this.#look();
  }

  /** Keeps the end in sight when an item grows or the viewport gets lower; returns the function that ends this. */
  follow(): () => void {
    const { current: element } = this.#parts.element;
    const content = element?.lastElementChild;
    if (!element || !content) return () => undefined;
    const observer = new ResizeObserver(() => {
      if (this.#isAtEnd) element.scrollTop = element.scrollHeight;
    });
    observer.observe(content);
    observer.observe(element);
    return () => observer.disconnect();
  }

  scrollToEnd(): void {
    this.#noteEnd(true);
    this.#toEnd();
  }

  show(key: string, { align = 'nearest', focus = false }: Parameters<VirtualListHandle['show']>[1] = {}): void {
    const index = this.#indexOf(key);
    if (index === -1) return;
    this.#noteEnd(false);
    this.#parts.list.current?.scrollToIndex(index, { align });
    if (focus) focusDrawn(this.#parts.element.current, key);
  }

  /** Notes that the person moves the list. */
  readonly moved = (): void => {
    this.#moved_at = performance.now();
  };

  readonly scrolled = (): void => {
    const { current: element } = this.#parts.element;
    if (!element || !this.#isPlaced) return;
    const isNow = element.scrollHeight - element.scrollTop - element.clientHeight <= end_px;
    // Only a person leaves the end: items that grow scroll the list, too.
    if (isNow || performance.now() - this.#moved_at < moving_ms) this.#noteEnd(isNow);
    else if (this.#isAtEnd) element.scrollTop = element.scrollHeight;
    this.#look();
  };

  readonly stopped = (): void => {
    const { list, latest } = this.#parts;
    const { current: handle } = list;
    if (!handle || !this.#isPlaced) return;
    const { items, keyOf, onPlace } = latest.current;
    const index = handle.findItemIndex(handle.scrollOffset);
    if (index >= items.length) return;
    onPlace?.({ key: keyOf(items[index]), offset: handle.scrollOffset - handle.getItemOffset(index), isAtEnd: this.#isAtEnd });
  };

  #indexOf(key: string): number {
    const { items, keyOf } = this.#parts.latest.current;
    return items.findIndex((item) => keyOf(item) === key);
  }

  #noteEnd(now: boolean): void {
    if (this.#isAtEnd === now) return;
    this.#isAtEnd = now;
    this.#parts.latest.current.onAtEnd?.(now);
  }

  #toEnd(last = this.#parts.latest.current.items.length - 1): void {
    if (last >= 0) this.#parts.list.current?.scrollToIndex(last, { align: 'end' });
  }

  #look(): void {
    const { current: element } = this.#parts.element;
    if (!element || !this.#isPlaced) return;
    const { onNearStart, onNearEnd } = this.#parts.latest.current;
    if (element.scrollTop < near_px) onNearStart?.();
    if (element.scrollHeight - element.scrollTop - element.clientHeight < near_px) onNearEnd?.();
  }
}

/** Focuses an item once it is drawn. */
function focusDrawn(within: HTMLElement | null, key: string, frames = 0): void {
  const element = within?.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (element) element.focus({ preventScroll: frames > 0 });
  else if (frames < max_frames) requestAnimationFrame(() => focusDrawn(within, key, frames + 1));
}
