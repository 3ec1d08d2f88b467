import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, contentOf } from '../asker.js';
import type { Lane, World } from './lane.js';
import { noticesOf } from './notices.js';

interface Run {
  status: string;
  error_code: string | null;
}

interface Planned {
  id: number;
  title: string;
}

const ahead_ms = 1_500;
/** A run that its process left behind ends when its lease has lapsed. */
const final_ms = 45_000;

/** Schedules that are due once, and notify: each planned time is run once at most, and leaves one row. */
export class Schedules implements Lane {
  readonly name = 'schedules';
  readonly #world: World;
  /** The instances whose clocks are right. */
  readonly #honest: () => number[];
  #planned: Planned[] = [];
  #written = 0;

  constructor(world: World, honest: () => number[]) {
    this.#world = world;
    this.#honest = honest;
  }

  get acknowledged(): number {
    return this.#written;
  }

  async write(): Promise<void> {
    const { asker, run } = this.#world;
    const title = `${run} due ${this.#written + 1}`;
    const trigger = { trigger_type: 'once', trigger_value: new Date(Date.now() + ahead_ms).toISOString() };
    const body = { name: title, ...trigger, action: 'notifications.send', params: { title }, notify: 'never' };
    // A try that comes too late is refused, as it should be: its time is past.
    const isLate = ({ bytes }: Answer) => bytes.includes('trigger_invalid') || bytes.includes('time_passed');
    const made = await asker.ask({
      method: 'POST',
      path: '/api/admin/schedules',
      body,
      idempotency_key: title,
      at: this.#honest(),
      accept: isLate,
    });
    this.#written += 1;
    if (!isLate(made)) this.#planned.push({ id: contentOf<{ id: number }>(made).id, title });
  }

  async faults(): Promise<string[]> {
    return this.#judge(await Promise.all(this.#planned.map(({ id }) => this.#runs(id))));
  }

  async settled(): Promise<string[]> {
    for (const end = performance.now() + final_ms; ; await sleep(200)) {
      const runs = await Promise.all(this.#planned.map(({ id }) => this.#runs(id)));
      if (performance.now() > end || runs.every(isOver)) return this.#judge(runs, { isEnd: true });
    }
  }

  /** Keeps those that are not over for the next time, unless it is the end. */
  async #judge(runs: readonly Run[][], { isEnd = false } = {}): Promise<string[]> {
    const notices = await noticesOf(this.#world, `${this.#world.run} due `);
    const judged = this.#planned.map((planned, index) => ({ planned, runs: runs[index] ?? [] }));
    this.#planned = isEnd ? [] : judged.filter((each) => !isOver(each.runs)).map(({ planned }) => planned);
    return judged
      .filter((each) => isEnd || isOver(each.runs))
      .flatMap(({ planned: { title }, runs }) => faultOf(title, runs, notices.filter((notice) => notice === title).length) ?? []);
  }

  /** Those that were to run: what was missed says only that it was caught up with. */
  async #runs(id: number): Promise<Run[]> {
    const path = `/api/admin/schedules/${id}/history?limit=100`;
    const { items } = contentOf<{ items: Run[] }>(await this.#world.asker.ask({ method: 'GET', path }));
    return items.filter(({ status }) => status !== 'missed');
  }
}

function isOver(runs: readonly Run[]): boolean {
  return runs.length > 0 && runs.every(isFinal);
}

function isFinal({ status }: Run): boolean {
  return status !== 'queued' && status !== 'running';
}

function faultOf(title: string, runs: readonly Run[], sent: number): string | undefined {
  const [run] = runs;
  if (!run) return `${title} was never run`;
  if (runs.length > 1) return `${title} was run ${runs.length} times`;
  if (!isFinal(run)) return `${title} is ${run.status} for ever`;
  if (run.status === 'success') return sent === 1 ? undefined : `${title} was a success and notified ${sent} times`;
  // An interrupted run may have happened.
  return sent <= 1 ? undefined : `${title} was ${run.status} (${run.error_code}) and notified ${sent} times`;
}
