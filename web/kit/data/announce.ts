import { Value } from './value.js';

export interface Announcement {
  readonly text: string;
  readonly urgent: boolean;
  readonly id: number;
}

/** The last announcement; the shell has a live region for it. */
export const announcement = new Value<Announcement>({ text: '', urgent: false, id: 0 });

/** Says a text to screen readers. `urgent`: interrupts what is being read. */
export function announce(text: string, { urgent = false }: { urgent?: boolean } = {}): void {
  announcement.update(({ id }) => ({ text, urgent, id: id + 1 }));
}
