import t from 'tap';
import { backOff, type JobRun } from '../../../../kernel/contract/index.js';
import { openData } from '../../../../kernel/platform/data/hub.js';
import { Workers } from '../../../../kernel/platform/work/worker.js';
import { eachDatabase, silentLog, systemClock, temporaryFolder } from '../../../helpers/databases.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { startOwnPostgres } from '../../../helpers/postgres.js';
import { add, failing, type Job, lease_ms, migration, polledUntil, queueOf, statuses } from './queue.js';

const ever = () => new Promise<string>(() => undefined);
const untilAborted = (_job: Job, { signal }: JobRun) =>
  new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve(String(signal.reason)), { once: true }));
/** Heartbeats that never come, as from a process that was killed. */
const killed = { heartbeat_ms: 3_600_000 };

t.test('two instances that claim at once never run a job twice at a time', async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('queue', [migration]);
    const ran: number[] = [];
    const perform = async ({ id }: Job) => {
      ran.push(id);
      return 'done';
    };
    const ids = Array.from({ length: 60 }, (_, index) => index + 1);
    await add(data, ...ids.map((id) => ({ id })));
    const all = [data, await place.open(), await place.open()].map((each) => queueOf(t, { data: each, perform }));
    await Promise.all(all.map(({ worker }) => worker.wake()));
    await becomes(
      t,
      () => statuses(data),
      ids.map(() => 'done'),
    );
    t.same(
      ran.sort((one, other) => one - other),
      ids,
    );
  });
});

t.test("a killed worker's job is retried only once its lease has lapsed", async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const dead = queueOf(t, { data, perform: ever, change: killed });
    await dead.worker.wake();
    const ran: number[] = [];
    const perform = async ({ attempts }: Job) => {
      ran.push(attempts);
      return 'done';
    };
    const alive = queueOf(t, { data: await place.open(), perform });
    await alive.worker.wake();
    t.same(ran, []);
    const begun = Date.now();
    await polledUntil(alive.worker, () => ran.length > 0);
    t.same(ran, [2], 'the job is in its second attempt');
    t.ok(Date.now() - begun < 5 * lease_ms);
    await becomes(t, () => statuses(data), ['done']);
  });
});

t.test("a heartbeat extends a job's lease", async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    let end: (outcome: string) => void = () => undefined;
    const first = queueOf(t, { data, perform: () => new Promise((resolve) => (end = resolve)) });
    const second = queueOf(t, { data: await place.open(), perform: async () => 'stolen' });
    await first.worker.wake();
    const over = Date.now() + 3 * lease_ms;
    await polledUntil(second.worker, () => Date.now() > over);
    end('done');
    await first.settled();
    t.same(await statuses(data), ['done']);
  });
});

t.test('a worker that cannot renew its leases aborts its jobs before another may claim them', async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const other = queueOf(t, { data: await place.open(), perform: async () => 'done' });
    let taken: boolean | undefined;
    const perform = async (job: Job, run: JobRun) => {
      const reason = await untilAborted(job, run);
      taken = await other.worker.take(1);
      return reason;
    };
    // Long enough that a busy machine hears of the abort before the lease has lapsed.
    const { worker, settled } = queueOf(t, { data, perform, change: { lease_ms: 3_000, heartbeat_ms: 1_000 } });
    worker.renew = () => Promise.reject(new Error('The database is away'));
    await worker.wake();
    await until(
      () => taken,
      (each) => each !== undefined,
    );
    t.equal(taken, false);
    await settled();
    t.same(await statuses(data), ['expired']);
  });
});

t.test('a job that another worker has claimed, or somebody has ended, is aborted', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 }, { id: 2 });
    const ended: unknown[] = [];
    const perform = async (job: Job, run: JobRun) => {
      ended.push([job.id, await untilAborted(job, run)]);
      return 'late';
    };
    const { worker, settled } = queueOf(t, { data, perform });
    await worker.wake();
    const db = data.facade('queue');
    await db.run("UPDATE queue_jobs SET status = 'cancelled' WHERE id = 1");
    await db.run("UPDATE queue_jobs SET owner = 'another', attempts = 2 WHERE id = 2");
    await settled();
    t.same(ended.sort(), [
      [1, 'lost'],
      [2, 'lost'],
    ]);
    t.same((await statuses(data))[1], 'running', 'a late outcome changes nothing');
  });
});

t.test('lapsed leases fail jobs only after the database has answered for a while', async (t) => {
  await eachDatabase(t, async (t, data, place) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const db = data.facade('queue');
    const dead = queueOf(t, { data, perform: ever, change: { ...failing(db), ...killed } });
    await dead.worker.wake();
    let now = 0;
    const other = await place.open();
    const alive = queueOf(t, { data: other, perform: ever, change: failing(other.facade('queue')), place: { elapsed: () => now } });
    t.notOk(await alive.worker.reap(), 'its lease is valid');
    now += 9_000;
    t.notOk(await alive.worker.reap());
    await db.run('UPDATE queue_jobs SET lease_until = 1');
    // As after a restart of the database: nobody had an answer meanwhile, and all leases have lapsed.
    now += 30_000;
    t.notOk(await alive.worker.reap(), 'live workers have not had time to renew');
    t.same(await statuses(data), ['running']);
    now += 9_000;
    t.ok(await alive.worker.reap());
    t.same(await statuses(data), ['interrupted']);
    t.notOk(await alive.worker.reap(), 'once');
  });
});

t.test('a jumping clock fails no running job and starts none twice', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const db = data.facade('queue');
    let now = 0;
    const running = queueOf(t, { data, perform: ever, change: { ...failing(db), ...killed }, place: { elapsed: () => now } });
    await running.worker.wake();
    await running.worker.reap();
    now += 9_000;
    await db.run('UPDATE queue_jobs SET lease_until = lease_until - 86400000');
    t.ok(await running.worker.reap(), 'the lease seems to have lapsed');
    t.same(await statuses(data), ['running'], 'the lease was renewed instead');

    await add(data, { id: 2 });
    await db.run("UPDATE queue_jobs SET status = 'done' WHERE id = 1");
    let started = 0;
    const perform = () => {
      started += 1;
      return ever();
    };
    const retried = queueOf(t, { data, perform, change: killed });
    await retried.worker.wake();
    await db.run('UPDATE queue_jobs SET lease_until = lease_until - 86400000 WHERE id = 2');
    await retried.worker.wake();
    await retried.worker.poll();
    t.equal(started, 1);
  });
});

t.test('after a replacement running jobs finish, and the next version claims new ones', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const workers = new Workers();
    const aborted: string[] = [];
    let end: (outcome: string) => void = () => undefined;
    const place = { workers, instance: 'here' };
    const old = queueOf(t, {
      data,
      perform: (_job, { signal }) => {
        signal.addEventListener('abort', () => aborted.push(String(signal.reason)));
        return new Promise((resolve) => (end = resolve));
      },
      place,
    });
    await old.worker.wake();
    old.stop('replaced');
    const fresh = queueOf(t, { data, perform: untilAborted, place });
    await fresh.worker.recover();
    await add(data, { id: 2 });
    await Promise.all([old.worker.wake(), fresh.worker.wake()]);
    const over = Date.now() + 2 * lease_ms;
    await polledUntil(fresh.worker, () => Date.now() > over);
    t.same([old.worker.running, fresh.worker.running, aborted], [1, 1, []], 'its lease is renewed');
    end('done');
    await old.settled();
    t.same(await statuses(data), ['done', 'running']);

    const third = queueOf(t, { data, perform: ever, place });
    fresh.stop('replaced');
    third.stop('shutdown');
    await fresh.settled();
    t.same(await statuses(data), ['done', 'interrupted'], 'the jobs of a replaced version end with the process');
  });
});

t.test('claims of a dead process are due at once on SQLite', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const alone = data.facade('queue').dialect === 'sqlite';
    await queueOf(t, { data, perform: ever, change: killed }).worker.wake();
    const next = queueOf(t, { data, perform: untilAborted });
    await next.worker.recover();
    await next.worker.wake();
    t.equal(next.worker.running, alone ? 1 : 0);
    const db = data.facade('queue');
    await add(data, { id: 2 });
    await queueOf(t, { data, perform: ever, change: { ...failing(db), ...killed } }).worker.wake();
    await queueOf(t, { data, perform: ever, change: failing(db) }).worker.recover();
    t.equal((await statuses(data))[1], alone ? 'interrupted' : 'running');
  });
});

t.test('a restarting database ends no job and loses no outcome', { skip: skipWithout('postgres') }, async (t) => {
  const server = await startOwnPostgres();
  t.teardown(() => server.dispose());
  const data = await openData({ url: await server.fresh(), data_dir: await temporaryFolder(t), clock: systemClock, log: silentLog });
  t.teardown(() => data.close());
  await data.migrate('queue', [migration]);
  await add(data, { id: 1 }, { id: 2 });
  const ends = new Map<number, (outcome: string) => void>();
  const aborted: number[] = [];
  const perform = ({ id }: Job, { signal }: JobRun) => {
    signal.addEventListener('abort', () => aborted.push(id));
    return new Promise<string>((resolve) => ends.set(id, resolve));
  };
  const { worker, settled } = queueOf(t, { data, perform, change: failing(data.facade('queue')) });
  await worker.wake();
  await server.stop();
  ends.get(1)?.('done');
  const over = Date.now() + 2 * lease_ms;
  await until(() => Date.now() > over, Boolean);
  await server.start();
  await becomes(t, () => statuses(data).catch(String), ['done', 'running']);
  ends.get(2)?.('done');
  await settled();
  t.same([await statuses(data), aborted], [['done', 'done'], []]);
});

t.test('one member leaves places for others, and idle jobs use none', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, ...[1, 2, 3, 4, 5, 6].map((id) => ({ id })), { id: 7, member_id: 2 });
    const fairness = { columns: ['member_id'], of: ({ member_id }: Job) => [member_id] };
    const runs = new Map<number, JobRun>();
    const perform = (job: Job, run: JobRun) => {
      runs.set(job.id, run);
      return ever();
    };
    const { worker } = queueOf(t, { data, perform, change: { fairness, max_running: 4 } });
    await worker.wake();
    t.same([...runs.keys()].sort(), [1, 2, 7]);
    runs.get(1)?.idle(true);
    runs.get(2)?.idle(true);
    await worker.wake();
    t.same([...runs.keys()].sort(), [1, 2, 3, 4, 7], 'idle jobs occupy no places');
  });
});

t.test('a failed attempt is retried after a wait, and a command performs only its own jobs', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 }, { id: 2 });
    const { worker, settled } = queueOf(t, {
      data,
      perform: async () => 'waiting',
      change: { settle: async () => worker.release(2, 60_000) },
      place: { background: false },
    });
    await worker.wake();
    t.same(await statuses(data), ['waiting', 'waiting']);
    worker.adopt(2);
    await worker.wake();
    await settled();
    worker.adopt(2);
    await worker.wake();
    const rows = await data.facade('queue').rows<Job>('SELECT attempts FROM queue_jobs ORDER BY id');
    t.same(
      rows.map(({ attempts }) => attempts),
      [0, 1],
      'the retry is not due early',
    );
    t.ok(await worker.take(2), 'a process that asks for the job gets it');
  });
});

t.test('outcomes are stored when the database is back, and a rejected one blocks no other', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 }, { id: 2 });
    const db = data.facade('queue');
    const settle = async (finished: readonly { job: Job; outcome: string }[]) => {
      if (finished.some(({ job }) => job.id === 1)) throw new Error('It is refused');
      for (const { job, outcome } of finished) await db.run('UPDATE queue_jobs SET status = $1 WHERE id = $2', [outcome, job.id]);
    };
    const { worker, settled } = queueOf(t, { data, perform: async () => 'done', change: { settle } });
    await worker.wake();
    await settled();
    t.same(await statuses(data), ['running', 'done'], 'the first job stays running until its lease lapses');
  });
});

t.test('a stopped job ends with the first reason', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('queue', [migration]);
    await add(data, { id: 1 });
    const { worker } = queueOf(t, { data, perform: untilAborted });
    await worker.wake();
    const stopped = worker.stop(1, 'cancelled');
    t.ok(await worker.stop(1, 'late'));
    t.ok(await stopped);
    await becomes(t, () => statuses(data), ['cancelled']);
    t.notOk(await worker.stop(1, 'again'), 'the job no longer runs here');
  });
});

t.test('a wait doubles with each attempt up to its limit, with jitter', async (t) => {
  const waits = (options: object) => [1, 2, 3, 4].map((attempts) => backOff(attempts, { first_ms: 1_000, ...options }));
  t.same(waits({}), [1_000, 2_000, 4_000, 8_000]);
  t.same(waits({ max_ms: 3_000 }), [1_000, 2_000, 3_000, 3_000]);
  t.same([waits({ jitter: 0.1, random: 0 })[0], waits({ jitter: 0.1, random: 1 })[0]], [900, 1_100]);
});
