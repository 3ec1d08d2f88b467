/** Time that reads and dialogs get to move the focus by themselves. */
const patience_ms = 150;

/** Fields are left out: on a touch screen they would open its keyboard. */
const reachable = 'a[href], button:not(:disabled), [tabindex="0"]';

/**
 * Gives the focus to what is near when the element that had it goes, so that a person at the keyboard goes on from there instead of from the
 * beginning of the document (WCAG 2.2, 2.4.3). Returns the function that ends this.
 */
export function keepFocus(): () => void {
  /** The element that had the focus last, and all around it, inside first. */
  let last: readonly Element[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onFocus = (event: FocusEvent) => {
    last = event.composedPath().filter((each) => each instanceof Element);
  };
  const look = () => {
    timer = undefined;
    if (isLost(last)) focusNear(last);
  };
  const observer = new MutationObserver(() => {
    if (timer === undefined && isLost(last)) timer = setTimeout(look, patience_ms);
  });
  document.addEventListener('focusin', onFocus);
  observer.observe(document.body, { childList: true, subtree: true });
  timer = setTimeout(look, patience_ms);
  return () => {
    clearTimeout(timer);
    observer.disconnect();
    document.removeEventListener('focusin', onFocus);
  };
}

function isLost([element]: readonly Element[]): boolean {
  return document.activeElement === document.body && element?.isConnected !== true;
}

function focusNear(around: readonly Element[]): void {
  const page = document.getElementById('page');
  const near = around
    .filter((element) => element.isConnected && element !== page && page?.contains(element))
    .flatMap((element) => [...element.querySelectorAll<HTMLElement>(reachable)])
    .find((element) => element.checkVisibility({ visibilityProperty: true }));
  (near ?? page)?.focus({ preventScroll: true });
}
