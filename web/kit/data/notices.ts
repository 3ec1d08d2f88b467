import { useCallback } from 'react';
import { announce } from './announce.js';
import { Value } from './value.js';

export interface NoticeOptions {
  /** Default `info`. */
  kind?: 'info' | 'success' | 'error';
  /** A second line in a quieter voice. */
  detail?: string | undefined;
  action?: { label: string; run: () => void };
}

export interface Notice extends NoticeOptions {
  readonly id: number;
  readonly text: string;
}

const max_notices = 4;
const shown_ms = 6_000;
/** Errors and notices with an action take longer to read. */
const shown_long_ms = 15_000;

/** The notices that the shell shows. */
export const notices = new Value<readonly Notice[]>([]);

let count = 0;

/** Shows a notice for some seconds. */
export function notify(text: string, options: NoticeOptions = {}): void {
  const notice = { ...options, text, id: ++count };
  // The same notice twice is one.
  notices.update((before) => [...before.filter((each) => each.text !== text), notice].slice(-max_notices));
  announce(options.detail ? `${text} ${options.detail}` : text, { urgent: options.kind === 'error' });
  setTimeout(() => dismiss(notice.id), options.kind === 'error' || options.action ? shown_long_ms : shown_ms);
}

export function dismiss(id: number): void {
  notices.update((before) => (before.some((each) => each.id === id) ? before.filter((each) => each.id !== id) : before));
}

/** Returns the function that shows a notice. */
export function useNotify(): typeof notify {
  return useCallback(notify, []);
}
