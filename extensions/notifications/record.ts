import type { About, Kind, Notification, NotificationStatus, Source } from './contract.js';
import { nothing } from './kinds.js';

/** A notification as it is stored. */
export interface Row {
  id: number;
  member_id: number;
  source: Source;
  kind: Kind;
  /** JSON: the ids that are not null. */
  about: string;
  title: string;
  summary: string;
  link: string | null;
  count: number;
  state: NotificationStatus;
  im_channel: string;
  error: string | null;
  created_at: string;
  read_at: string | null;
  /** When it was marked with all others, where that isn't in its own row yet. */
  marked_at: string | null;
}

export function recordOf(row: Row): Notification {
  const { source, kind, title, summary, link, count, im_channel, error } = row;
  const read_at = row.state === 'read' ? row.read_at : row.marked_at;
  return {
    id: Number(row.id),
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
    ...nothing,
    ...(JSON.parse(row.about) as Partial<About>),
  };
}

/** The API gives these times in UTC without saying so. */
function zoneless(time: string): string {
  return time.replace(/Z$/, '');
}
