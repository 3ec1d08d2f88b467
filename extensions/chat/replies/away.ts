import type { Ports } from '../ports.js';

/**
 * Tells which of the members are not reading: they are not online, and read no stream of the session. All of them if that can't be known.
 */
export async function whoIsAway(
  { online, readers, log }: Pick<Ports, 'online' | 'readers' | 'log'>,
  member_ids: readonly number[],
  session_id?: string,
): Promise<ReadonlySet<number>> {
  const unseen = session_id === undefined ? member_ids : member_ids.filter((member_id) => !readers.isReading({ session_id, member_id }));
  if (unseen.length === 0) return new Set();
  try {
    const here = await online(unseen);
    return new Set(unseen.filter((id) => !here.has(id)));
  } catch (err) {
    log.warn('Whether somebody is online could not be told', { err });
    return new Set(unseen);
  }
}
