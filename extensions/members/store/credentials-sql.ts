/**
 * Reads the member of a login. Benchmark row `requests`: each token is looked up again every few seconds. One join
 * where models would read twice.
 */
export const loginHolder = `SELECT m.id, m.username, m.role, m.version, l.used_at
  FROM members_logins l JOIN members_members m ON m.id = l.member_id
  WHERE l.id = $1 AND l.expires_at > $2`;

/** Reads the member of a personal token. Benchmark row `requests`, as {@link loginHolder}. */
export const tokenHolder = `SELECT t.id AS token_id, t.scopes, t.expires_at, t.last_used_at, m.id, m.username, m.role, m.version
  FROM members_tokens t JOIN members_members m ON m.id = t.member_id
  WHERE t.hash = $1 AND (t.expires_at IS NULL OR t.expires_at > $2)`;

/** Claims a ticket: if several take one at once, one gets the row. */
export const takeTicket = 'DELETE FROM members_tickets WHERE hash = $1 AND expires_at > $2 RETURNING *';

/** Claims an invitation: if several accept one at once, one gets the row. */
export const takeInvitation = 'DELETE FROM members_invitations WHERE token_hash = $1 AND expires_at > $2 RETURNING *';

/** Claims a link for a forgotten password: if several use one at once, one gets the row. */
export const takeReset = 'DELETE FROM members_resets WHERE token_hash = $1 AND expires_at > $2 RETURNING *';

/** Claims a confirmed login of a program: if it asks several times at once, it gets one token. */
export const takeDeviceCode =
  "DELETE FROM members_device_codes WHERE device_hash = $1 AND expires_at > $2 AND state = 'approved' RETURNING *";

/** Counts failures for four limits in one statement. Benchmark row `logins`: the login waits under a lock on its name. */
export const failuresWithName = `SELECT
    ${counted('name', 'failed_at > $5')}, ${counted('address', 'address = $2 AND failed_at > $4')},
    ${counted('device', 'device = $3')}, ${counted('device_minute', 'device = $3 AND failed_at > $4')}
  FROM members_failures WHERE name_hash = $1 AND failed_at > $5`;

/** Counts failures in a network. Benchmark row `logins`, as {@link failuresWithName}. */
export const failuresInNetwork = `SELECT ${counted('network', 'failed_at > $3')}, ${counted('address', 'address = $2')}
  FROM members_failures WHERE network = $1 AND failed_at > $3`;

/** Returns `<name>_count` and `<name>_oldest` of the rows that meet a condition. */
function counted(name: string, condition: string): string {
  const rows = (value: string) => `CASE WHEN ${condition} THEN ${value} END`;
  return `CAST(COUNT(${rows('1')}) AS INTEGER) AS ${name}_count, MIN(${rows('failed_at')}) AS ${name}_oldest`;
}
