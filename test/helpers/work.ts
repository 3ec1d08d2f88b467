import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { Context, Database, JobId, JobRow, Log, StopReason, Work } from '../../kernel/contract/index.js';
import type { Data } from '../../kernel/platform/data/hub.js';
import { type LeasedWorker, Workers } from '../../kernel/platform/work/worker.js';
import { silentLog } from './databases.js';

interface Place {
  data: Data;
  /** Default: the data's. */
  db?: Database;
  extension: string;
  /** Default: a name of its own, as each process has. */
  instance?: string;
  background?: boolean;
  log?: Log;
  workers?: Workers;
  elapsed?: () => number;
}

/** A worker as `ctx.work` makes it, in a process of its own unless `workers` are given. */
export interface Bench<Job extends { id: JobId }, Outcome, Row extends JobRow = JobRow> {
  worker: LeasedWorker<Row, Job, Outcome>;
  /** Stops the extension's version. */
  stop: (reason: StopReason) => void;
  /** Resolves when all that was tracked has ended. */
  settled: () => Promise<void>;
}

export function workerOf<Row extends JobRow, Job extends { id: JobId }, Outcome>(
  t: Test,
  work: Work<Row, Job, Outcome>,
  {
    data,
    extension,
    db = data.facade(extension),
    instance = randomUUID(),
    background = true,
    log = silentLog,
    workers = new Workers(),
    elapsed,
  }: Place,
): Bench<Job, Outcome, Row> {
  const stopping = new AbortController();
  const tracked = new Set<Promise<unknown>>();
  const track = (each: Promise<unknown>) => {
    tracked.add(each);
    void each.finally(() => tracked.delete(each));
  };
  const host = { db, log, instance, background, signal: stopping.signal, track, ...(elapsed && { elapsed }) };
  const worker = workers.open(extension, work, host);
  const settled = async () => {
    while (tracked.size > 0) await Promise.all(tracked);
  };
  // Heartbeats alone keep no process alive.
  const alive = setInterval(() => undefined, 60_000);
  t.teardown(() => {
    clearInterval(alive);
    stopping.abort('shutdown');
    worker.dispose();
  });
  return { worker, stop: (reason) => stopping.abort(reason), settled };
}

/** `ctx.work` of a process of its own. */
export function workIn(t: Test, place: Place): Context['work'] {
  const own = { instance: randomUUID(), ...place };
  return (work) => workerOf(t, work, own).worker;
}
