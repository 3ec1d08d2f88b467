import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { MemoryBus } from '../../../../kernel/platform/bus/memory.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { type PresenceRecord, Presences } from '../../../../kernel/platform/presence/presences.js';
import { temporaryFolder } from '../../../helpers/platform.js';
import { keepLog, systemClock } from '../../../helpers/redis.js';

/** Opens presences; `next` resolves with the next batch of changes. */
async function setup(t: Test): Promise<{ presences: Presences; next: () => Promise<number[]> }> {
  const { log } = keepLog();
  // The timers of presence keep no process alive.
  const alive = setInterval(() => undefined, 1_000);
  t.teardown(() => clearInterval(alive));
  const data = await openData({ url: 'sqlite:', data_dir: await temporaryFolder(t), clock: systemClock, log });
  t.teardown(() => data.close());
  const options = { data, bus: new MemoryBus(log), clock: systemClock, log, instance: 'one', clustered: false, providers: () => [] };
  const presences = await Presences.open(options);
  t.teardown(() => presences.close());
  let take: (changes: readonly PresenceRecord[]) => void = () => undefined;
  presences.listen((changes) => take(changes));
  const next = () =>
    new Promise<number[]>((resolve) => {
      take = (changes) => resolve(changes.map(({ member_id }) => member_id));
    });
  return { presences, next };
}

t.test('members who connect within a moment are announced together', async (t) => {
  const { presences, next } = await setup(t);
  const batch = next();
  for (const member_id of [1, 2, 3]) presences.connect(member_id);
  t.strictSame(await batch, [1, 2, 3]);
});

t.test('the moment is longer with thousands of sockets, each of which gets a write for it', async (t) => {
  const { presences, next } = await setup(t);
  const first = next();
  for (let member_id = 1; member_id <= 3_000; member_id += 1) presences.connect(member_id);
  t.equal((await first).length, 3_000);
  const batch = next();
  presences.connect(3_001);
  // Longer than a batch of few members takes.
  await sleep(150);
  presences.connect(3_002);
  t.strictSame(await batch, [3_001, 3_002]);
});
