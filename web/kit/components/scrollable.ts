const focusable = 'a[href], button, input, textarea, select, iframe, [tabindex="0"]';

/**
 * A ref for an element that may scroll: while it does, and nothing in it takes the focus, the Tab key reaches it, so that it scrolls by keyboard
 * (WCAG 2.2, 2.1.1). What fits is no stop on the way. Its content must be one block, whose size is observed.
 */
export function scrollable(element: HTMLElement | null): (() => void) | undefined {
  if (element === null) return undefined;
  const look = () => {
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = element;
    const scrolls = scrollWidth > clientWidth || scrollHeight > clientHeight;
    if (scrolls && element.querySelector(focusable) === null) element.tabIndex = 0;
    else if (document.activeElement !== element) element.removeAttribute('tabindex');
  };
  const observer = new ResizeObserver(look);
  for (const each of [element, ...element.children]) observer.observe(each);
  return () => observer.disconnect();
}
