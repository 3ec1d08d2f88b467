/** A row of a list of sessions, with the level of its notifications. */
export interface PairRow {
  notifications: unknown;
}

/** Completes the record of a session that is no room and works on nothing. */
export function pairRecord(row: PairRow): object {
  const notifications = { level: row.notifications, muted_until: null };
  return Object.assign(row, { visibility: 'private', topic: '', mention_count: 0, role: 'member', notifications, active_task_ids: [] });
}
