/** Place of an element: its tag and its position among its siblings of that tag, from the top. */
type Place = readonly (readonly [tag: string, position: number])[];

type TextControl = HTMLInputElement | HTMLTextAreaElement;

interface Selected {
  readonly start: number | null;
  readonly end: number | null;
  readonly direction: 'forward' | 'backward' | 'none' | null;
}

interface FieldState {
  readonly place: Place;
  readonly name: string;
  readonly value: string;
}

interface Focused {
  readonly place: Place;
  readonly name: string;
  readonly selected: Selected | undefined;
}

interface Scrolled {
  readonly place: Place;
  readonly left: number;
  readonly top: number;
}

const area = '.shell-page';
const text_types = ['text', 'search', 'url', 'tel', 'email', 'password', 'number', 'date', 'time', 'datetime-local', 'month', 'week'];
const frames_of_patience = 30;

/**
 * Notes what a person has typed, selected, opened and scrolled in the page. The returned function restores it in the page's next version,
 * whose elements have the same places. Pages that keep their state themselves lose nothing by it: equal values aren't touched.
 */
export function capture(): () => void {
  const root = document.querySelector(area);
  if (root === null) return () => undefined;
  const focused = focusIn(root);
  const fields = [...root.querySelectorAll<TextControl>('input, textarea')].filter(isText).map((field) => fieldState(field, root));
  const open = [...root.querySelectorAll<HTMLDetailsElement>('details[open]')].map((element) => placeOf(element, root));
  const scrolled = [root, ...root.querySelectorAll('*')].filter(({ scrollTop, scrollLeft }) => scrollTop > 0 || scrollLeft > 0);
  const positions = scrolled.map((element) => ({ place: placeOf(element, root), left: element.scrollLeft, top: element.scrollTop }));
  return () => {
    for (const field of fields) restoreField(field, root);
    for (const place of open) restoreOpen(place, root);
    for (const position of positions) restoreScroll(position, root);
    if (focused) restoreFocus(focused, root, frames_of_patience);
  };
}

function focusIn(root: Element): Focused | undefined {
  const element = document.activeElement;
  if (element === null || element === root || !root.contains(element)) return undefined;
  return { place: placeOf(element, root), name: nameOf(element), selected: selectedIn(element) };
}

function fieldState(field: TextControl, root: Element): FieldState {
  return { place: placeOf(field, root), name: nameOf(field), value: field.value };
}

function restoreField({ place, name, value }: FieldState, root: Element): void {
  const field = find(place, name, root);
  if (!isTextControl(field) || field.value === value || field.readOnly || field.disabled) return;
  // React listens to the event and takes the value over; its own setter would hide the change from it.
  const prototype = field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  Object.getOwnPropertyDescriptor(prototype, 'value')?.set?.call(field, value);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

function restoreOpen(place: Place, root: Element): void {
  const element = elementAt(place, root);
  if (element instanceof HTMLDetailsElement) element.open = true;
}

function restoreScroll({ place, left, top }: Scrolled, root: Element): void {
  const element = elementAt(place, root);
  if (element && element.scrollTop !== top) element.scrollTop = top;
  if (element && element.scrollLeft !== left) element.scrollLeft = left;
}

/** Focuses the element that had the focus, as soon as it is there. A person who has moved on meanwhile is left alone. */
function restoreFocus(focused: Focused, root: Element, frames: number): void {
  const { activeElement } = document;
  if (activeElement !== null && activeElement !== document.body) {
    if (root.contains(activeElement)) restoreSelection(activeElement, focused);
    return;
  }
  const element = find(focused.place, focused.name, root);
  if (element instanceof HTMLElement) {
    element.focus({ preventScroll: true });
    restoreSelection(element, focused);
  } else if (frames > 0) requestAnimationFrame(() => restoreFocus(focused, root, frames - 1));
}

function restoreSelection(element: Element, { selected, name }: Focused): void {
  if (!isTextControl(element) || !selected || selected.start === null || nameOf(element) !== name) return;
  if (element.selectionStart === selected.start && element.selectionEnd === selected.end) return;
  element.setSelectionRange(selected.start, selected.end, selected.direction ?? 'none');
}

function selectedIn(element: Element): Selected | undefined {
  if (!isTextControl(element)) return undefined;
  // Null for types such as `email`, which have no selection.
  const { selectionStart: start, selectionEnd: end, selectionDirection: direction } = element;
  return { start, end, direction };
}

function isTextControl(element: Element | undefined): element is TextControl {
  return (element instanceof HTMLInputElement && text_types.includes(element.type)) || element instanceof HTMLTextAreaElement;
}

function isText(element: TextControl): boolean {
  return isTextControl(element);
}

/** Returns what names an element to people, which a new version is least likely to change. */
function nameOf(element: Element): string {
  const label = element.id === '' ? null : document.querySelector(`label[for="${CSS.escape(element.id)}"]`);
  const parts = [element.tagName, element.getAttribute('name'), element.getAttribute('aria-label'), label?.textContent];
  return [...parts, element.getAttribute('placeholder')].filter(Boolean).join(' ');
}

function placeOf(element: Element, root: Element): Place {
  const place: (readonly [string, number])[] = [];
  for (let at: Element | null = element; at !== null && at !== root; at = at.parentElement) place.unshift([at.tagName, positionOf(at)]);
  return place;
}

function positionOf(element: Element): number {
  let position = 0;
  for (let before = element.previousElementSibling; before !== null; before = before.previousElementSibling)
    if (before.tagName === element.tagName) position += 1;
  return position;
}

function elementAt(place: Place, root: Element): Element | undefined {
  return place.reduce<Element | undefined>(
    (at, [tag, position]) => [...(at?.children ?? [])].filter(({ tagName }) => tagName === tag)[position],
    root,
  );
}

/** Returns the element at a place if it has the name, or else the only one with that name. */
function find(place: Place, name: string, root: Element): Element | undefined {
  const there = elementAt(place, root);
  if (there && nameOf(there) === name) return there;
  const tag = place.at(-1)?.[0] ?? '*';
  const same = [...root.querySelectorAll(tag)].filter((element) => nameOf(element) === name);
  return same.length === 1 ? same[0] : undefined;
}
