import type { Note } from '../channels/channel.js';
import type { Notification } from '../contract.js';

/** A notification as channels get it. A link that is only a path leads nowhere outside, so it is left out. */
export function noteOf({ id, source, title, summary, link, created_at }: Notification): Note {
  return { id, source, title, summary, created_at: `${created_at}Z`, url: link !== null && /^https?:/i.test(link) ? link : null };
}
