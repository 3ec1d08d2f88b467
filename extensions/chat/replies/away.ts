import type { Ports } from '../ports.js';

/** Those of the members who are not online, and are told otherwise of what they asked for; all where that can't be known. */
export async function whoIsAway(
  { online, log }: Pick<Ports, 'online' | 'log'>,
  member_ids: readonly number[],
): Promise<ReadonlySet<number>> {
  try {
    const here = await online(member_ids);
    return new Set(member_ids.filter((id) => !here.has(id)));
  } catch (err) {
    log.warn('Whether somebody is online could not be told', { err });
    return new Set(member_ids);
  }
}
