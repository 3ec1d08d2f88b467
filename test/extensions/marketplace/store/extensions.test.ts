import t from 'tap';
import { migration } from '../../../../extensions/marketplace/migrations/0001-marketplace.js';
import { defineModels } from '../../../../extensions/marketplace/models.js';
import { ExtensionStore } from '../../../../extensions/marketplace/store/extensions.js';
import type { Database } from '../../../../kernel/contract/index.js';
import { eachDatabase, silentLog, systemClock } from '../../../helpers/databases.js';
import { until } from '../../../helpers/eventually.js';

const now = systemClock.iso();

t.test('an id removed during its claim is claimed nevertheless', async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    const db = data.facade('marketplace');
    await data.migrate('marketplace', [migration]);
    const other = await place.open({ log: silentLog });
    const [rows, others] = [db, other.facade('marketplace')].map((each) => new ExtensionStore(defineModels(each).extensions)) as [
      ExtensionStore,
      ExtensionStore,
    ];
    const owner = (member_id: number) => ({ owner: { member_id, username: `member${member_id}` }, source: null, now });
    await db.transaction(() => rows.claim('guest', 'plugin', owner(1)));

    let remove = (): void => undefined;
    const removed = new Promise<void>((resolve) => {
      remove = resolve;
    });
    let isLocked = false;
    const removal = db.transaction(async () => {
      await rows.lock('guest');
      isLocked = true;
      await removed;
      await rows.delete('guest');
    });
    await until(
      () => isLocked,
      (locked) => locked,
    );
    const claim = other.facade('marketplace').transaction(() => others.claim('guest', 'skill', owner(2)));
    if (db.dialect === 'postgres')
      await until(
        () => waiting(data.facade('kernel')),
        (count) => count === 1,
      );
    remove();
    await removal;
    t.match(await claim, { id: 'guest', type: 'skill', owner: { member_id: 2 } });
    t.match(await rows.find('guest'), { type: 'skill', owner: { member_id: 2 }, downloads: 0 });
  });
});

/** How many wait for a lock. */
async function waiting(db: Pick<Database, 'rows'>): Promise<number> {
  const [row] = await db.rows<{ n: number }>(
    `SELECT count(*)::int AS n FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
  );
  return row?.n ?? 0;
}
