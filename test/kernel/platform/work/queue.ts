import type { Test } from 'tap';
import type { Database, Finished, JobRun, Migration, Work } from '../../../../kernel/contract/index.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { until } from '../../../helpers/eventually.js';
import { type Bench, workerOf } from '../../../helpers/work.js';

export interface Job {
  id: number;
  member_id: number;
  attempts: number;
}

export const migration: Migration = {
  name: '0001-queue',
  async up({ run }) {
    await run(`CREATE TABLE queue_jobs (id BIGINT PRIMARY KEY, member_id INTEGER NOT NULL, status VARCHAR(16) NOT NULL,
      attempts INTEGER NOT NULL, owner VARCHAR(64), lease_until BIGINT NOT NULL)`);
  },
};

export const lease_ms = 600;

interface Parts {
  data: Data;
  perform: (job: Job, run: JobRun) => Promise<string>;
  change?: Partial<Work<Job, Job, string>>;
  place?: Partial<Omit<Parameters<typeof workerOf>[2], 'data' | 'extension'>>;
}

const load = (rows: readonly Job[]) => rows.map(({ id, ...row }) => ({ id: Number(id), ...row }));

/** A worker whose outcomes are the statuses of its rows; `again` waits for the next attempt. */
function work(db: Database, { perform, change }: Parts): Work<Job, Job, string> {
  return {
    name: 'jobs',
    lapsed: 'retry',
    table: {
      name: 'queue_jobs',
      ready: () => "j.status IN ('waiting', 'running')",
      active: "status = 'running'",
      order: 'j.lease_until, j.id',
      start: () => "status = 'running', attempts = attempts + 1",
    },
    max_running: 10,
    lease_ms,
    heartbeat_ms: 100,
    load,
    perform,
    async settle(finished: readonly Finished<Job, string>[]) {
      for (const { job, outcome } of finished)
        await db.run('UPDATE queue_jobs SET status = $1, owner = NULL WHERE id = $2 AND attempts = $3', [outcome, job.id, job.attempts]);
    },
    ...change,
  };
}

/** The same where a lapsed lease fails the job. */
export function failing(db: Database): Partial<Work<Job, Job, string>> {
  return {
    lapsed: {
      async fail(_seen, take) {
        await db.transaction(async () => {
          for (const { id } of await take()) await db.run("UPDATE queue_jobs SET status = 'interrupted' WHERE id = $1", [Number(id)]);
        });
      },
    },
    table: { ...work(db, {} as Parts).table, ready: () => "j.status = 'waiting'" },
  };
}

export function queueOf(t: Test, parts: Parts): Bench<Job, string, Job> {
  const { data, place } = parts;
  return workerOf(t, work(data.facade('queue'), parts), { data, extension: 'queue', ...place });
}

export async function add(data: Data, ...jobs: (Partial<Job> & Pick<Job, 'id'>)[]): Promise<void> {
  for (const { id, member_id = 1 } of jobs)
    await data.facade('queue').run("INSERT INTO queue_jobs VALUES ($1, $2, 'waiting', 0, NULL, 0)", [id, member_id]);
}

export async function statuses(data: Data): Promise<string[]> {
  const rows = await data.facade('queue').rows<{ status: string }>('SELECT status FROM queue_jobs ORDER BY id');
  return rows.map(({ status }) => status);
}

/** Polls until something is so. */
export async function polledUntil(worker: { poll(): Promise<void> }, holds: () => boolean): Promise<void> {
  const look = async () => {
    await worker.poll();
    return holds();
  };
  await until(look, Boolean);
}
