import t, { type Test } from 'tap';
import { openData } from '../../../kernel/platform/data/hub.js';
import { freshPostgres, silentLog, systemClock } from '../../helpers/databases.js';
import { skipWithout } from '../../helpers/parts.js';
import { startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { clientOf, scheduled, withLabour } from './world.js';

interface QueuePosition {
  data_dir: string;
  database_url: string;
}

/** Values of `once` in the old sense, and the new. */
const rows: readonly [string, string, string][] = [
  ['Europe/Berlin', '2099-07-01T09:00', '2099-07-01T09:00Z'],
  ['Europe/Berlin', '2099-07-01T09:00:00.5', '2099-07-01T09:00:00.5Z'],
  ['Europe/Berlin', '2099-07-01T09:00Z', '2099-07-01T09:00Z'],
  ['Europe/Berlin', '2099-07-01T09:00+02:00', '2099-07-01T09:00+02:00'],
  ['America/New_York', '2099-07-01T09:00-0400', '2099-07-01T09:00-0400'],
  ['UTC', '2099-07-01T09:00', '2099-07-01T09:00'],
];

async function upgrades(t: Test, place: QueuePosition): Promise<void> {
  const old = await startPlatform(t, { ...withLabour, settings: { ...place } });
  for (const [timezone, trigger_value] of rows) await scheduled(clientOf(old), { trigger_type: 'once', trigger_value, timezone });
  await old.kernel.close();
  const data = await openData({ url: place.database_url, data_dir: place.data_dir, clock: systemClock, log: silentLog });
  await data.facade('schedules').run("DELETE FROM kernel_migrations WHERE owner = 'schedules' AND name = '0002-utc-times'");
  await data.close();

  const upgraded = clientOf(await startPlatform(t, { ...withLabour, settings: { ...place } }));
  const { items } = await upgraded.schedules.list({ limit: 50, offset: 0 });
  t.same(
    items.map(({ trigger_value }) => trigger_value),
    rows.map(([, , value]) => value),
  );
}

t.test('a stored time without an offset stays UTC after the upgrade', async (t) => {
  await t.test('sqlite', async (t) => upgrades(t, { data_dir: await temporaryFolder(t), database_url: 'sqlite:' }));
  await t.test('postgres', { skip: skipWithout('postgres') }, async (t) =>
    upgrades(t, { data_dir: await temporaryFolder(t), database_url: await freshPostgres() }),
  );
});
