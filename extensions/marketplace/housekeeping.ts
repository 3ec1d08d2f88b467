import type { Parts } from './parts.js';

/** Retention of rejected versions, during which a publisher can read the reason. */
const retention_ms = 90 * 86_400_000;
/** Versions deleted at a time. */
const batch_size = 100;

type Dependencies = Pick<Parts, 'db' | 'clock' | 'extensions' | 'versions'>;

/** Deletes versions rejected more than 90 days ago, and ids that have no other version. Returns the number of versions. */
export async function removeRejected(parts: Dependencies): Promise<number> {
  const { clock, versions } = parts;
  const before = new Date(clock.now() - retention_ms).toISOString();
  let removed = 0;
  for (let found = await versions.rejectedBefore(before, batch_size); found.length > 0; ) {
    for (const { id, number } of found) await remove(parts, id, number);
    removed += found.length;
    found = await versions.rejectedBefore(before, batch_size);
  }
  return removed;
}

function remove({ db, extensions, versions }: Dependencies, id: string, number: number): Promise<void> {
  return db.transaction(async () => {
    await extensions.lock(id);
    await versions.delete(number);
    if (await versions.isEmpty(id)) await extensions.delete(id);
  });
}
