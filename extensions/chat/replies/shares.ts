/**
 * The members for whom no further reply is begun in a process that writes `most` at once. Each may
 * have as many as it leaves free: one alone has half of them, and there is always a place for another.
 */
export function withoutShare(working: Iterable<number>, most: number): { full: boolean; members: number[] } {
  const of = new Map<number, number>();
  let free = most;
  for (const member_id of working) {
    of.set(member_id, (of.get(member_id) ?? 0) + 1);
    free -= 1;
  }
  const members = [...of].filter(([, running]) => running >= free).map(([member_id]) => member_id);
  return { full: free <= 0, members };
}
