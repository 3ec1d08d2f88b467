/**
 * The members for whom no further reply is begun in a process that writes `most` at once. Each may
 * have as many as it leaves free: one alone has half of them, and there is always a place for another.
 * `room`: so many may be begun together, for any members but those; 0 where no place is free.
 */
export function withoutShare(working: Iterable<number>, most: number): { room: number; members: number[] } {
  const of = new Map<number, number>();
  let free = most;
  for (const member_id of working) {
    of.set(member_id, (of.get(member_id) ?? 0) + 1);
    free -= 1;
  }
  const members = [...of].filter(([, running]) => running >= free).map(([member_id]) => member_id);
  const others = [...of.values()].filter((running) => running < free);
  // Each that is begun is one more for somebody, and one less that is free.
  return { room: Math.max(0, Math.ceil((free - Math.max(0, ...others)) / 2)), members };
}
