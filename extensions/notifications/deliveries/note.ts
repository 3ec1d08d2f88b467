import type { Note } from '../channels/channel.js';
import type { About, Notification } from '../contract.js';
import { nothing } from '../kinds.js';

/** A notification as channels get it. A link that is only a path leads nowhere outside, so `url` leaves it out. */
export function noteOf(notification: Notification): Note {
  const { id, source, kind, title, summary, link, created_at } = notification;
  const url = link !== null && /^https?:/i.test(link) ? link : null;
  return { id, source, kind, title, summary, created_at: `${created_at}Z`, url, link, about: aboutOf(notification) };
}

function aboutOf(notification: Notification): About {
  const ids = Object.keys(nothing) as (keyof About)[];
  return Object.fromEntries(ids.map((id) => [id, notification[id]])) as unknown as About;
}
