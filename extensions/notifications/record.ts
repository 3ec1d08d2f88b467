import type { Notification } from './contract.js';
import { noSubject } from './kinds.js';
import type { ItemRow } from './models.js';

/** A notification as read by lists. */
export interface Row extends Omit<ItemRow, 'sameness' | 'session_id'> {
  /** When it was marked together with all others, if its own row doesn't say so yet. */
  marked_at: string | null;
}

export function recordOf(row: Row): Notification {
  const { id, source, kind, title, summary, link, count, im_channel, error } = row;
  const read_at = row.state === 'read' ? row.read_at : row.marked_at;
  return {
    id,
    source,
    kind,
    title,
    summary,
    link,
    status: read_at === null ? row.state : 'read',
    im_channel,
    count,
    error,
    created_at: zoneless(row.created_at),
    read_at: read_at === null ? '' : zoneless(read_at),
    ...noSubject,
    ...row.about,
  };
}

/** The API returns these times in UTC without a zone. */
function zoneless(time: string): string {
  return time.replace(/Z$/, '');
}
