import { useEffect, useRef } from 'react';
import { Value } from './value.js';

export interface Shortcut {
  /** `mod+k`, `shift+enter`, `?`; `mod` is Command on Apple's machines and Control elsewhere. */
  readonly keys: string;
  readonly label: string;
  run: (event: KeyboardEvent) => void;
}

/** The shortcuts in force, for the help of keys. Later ones win. */
export const shortcuts = new Value<readonly Shortcut[]>([]);

/** Runs a function at a key while the component is shown, and lists it in the help of keys. Plain letters are ignored in fields of text. */
export function useShortcut(keys: string, label: string, run: (event: KeyboardEvent) => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const shortcut: Shortcut = { keys, label, run: (event) => latest.current(event) };
    shortcuts.update((before) => [...before, shortcut]);
    return () => shortcuts.update((before) => before.filter((each) => each !== shortcut));
  }, [keys, label]);
}

export const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

/** Runs the shortcut of a key press; returns whether there was one. */
export function runShortcut(event: KeyboardEvent): boolean {
  // The key belongs to the input method or to an open menu or dialog that has handled it.
  if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return false;
  const found = shortcuts.get().findLast(({ keys }) => matches(keys, event));
  if (!found || (isPlain(found.keys) && isField(event.target))) return false;
  event.preventDefault();
  found.run(event);
  return true;
}

function matches(keys: string, event: KeyboardEvent): boolean {
  const parts = keys.toLowerCase().split('+');
  const key = parts.pop() || '+';
  const mod = parts.includes('mod');
  const control = parts.includes('ctrl') || (mod && !isApple);
  const command = parts.includes('meta') || (mod && isApple);
  if (event.ctrlKey !== control || event.metaKey !== command || event.altKey !== parts.includes('alt')) return false;
  // The shift of a character such as `?` depends on the keyboard.
  const isCharacter = key.length === 1 && !/[a-z0-9]/.test(key);
  return event.key.toLowerCase() === key && (isCharacter || event.shiftKey === parts.includes('shift'));
}

function isPlain(keys: string): boolean {
  return !/(^|\+)(mod|ctrl|meta|alt)\+/.test(keys) && keys.replace(/^shift\+/, '').length === 1;
}

function isField(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}
