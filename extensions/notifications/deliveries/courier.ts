import { setTimeout as sleep } from 'node:timers/promises';
import type { Counter, Log } from '../../../kernel/contract/index.js';
import type { Directory } from '../channels/directory.js';
import type { Preferences } from '../preferences/preferences.js';
import type { Deliveries, Job, Route } from '../store/deliveries.js';
import type { Items } from '../store/items.js';
import type { MemberRows } from '../store/members.js';
import { attempt, type Outcome, type Refusal } from './attempt.js';
import { waitAfter } from './backoff.js';
import { noteOf } from './note.js';

export interface CourierOptions {
  rows: MemberRows;
  items: Items;
  deliveries: Deliveries;
  directory: Directory;
  preferences: Preferences;
  log: Log;
  /** Keeps process and version until the work is final. */
  track: (work: Promise<unknown>) => void;
  /** Tries, by how they ended. */
  attempts: Counter;
  /** 0 to 1. */
  random: () => number;
  /** False in a process that runs one command: it tries once what that command has made, and leaves the rest to a server. */
  background: boolean;
}

/** In this process at once, and of one member's channel. */
const most_running = 20;
const most_of_route = 4;
/** Pauses before an outcome is written again where the database was away; then the claim lapses. */
const pauses_ms = [200, 1_000];

/** Brings notifications to the channels outside. Each is sent at least once: it is final only after it was accepted. */
export class Courier {
  readonly #options: CourierOptions;
  readonly #running = new Map<number, Route>();
  readonly #ending = new AbortController();
  /** What the command of this process has made. */
  readonly #own = new Set<number>();
  #looking = false;
  #again = false;
  #retired = false;

  constructor(options: CourierOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Claims nothing more. With `now`, what is under way ends too, and is given back. */
  retire({ now }: { now: boolean }): void {
    this.#retired = true;
    if (now) this.#ending.abort();
  }

  /** There is something to deliver. */
  wake(notification_ids: readonly number[] = []): void {
    const { background, track, log } = this.#options;
    if (!background) for (const id of notification_ids) this.#own.add(id);
    this.#again = true;
    if (this.#looking) return;
    this.#looking = true;
    track(this.#look().catch((err: unknown) => log.warn('Notifications could not be claimed for delivery; it is tried again', { err })));
  }

  async #look(): Promise<void> {
    try {
      while (this.#again) {
        this.#again = false;
        while (await this.#claim());
      }
    } finally {
      this.#looking = false;
    }
  }

  /** Begins one delivery; false where there is none to begin. */
  async #claim(): Promise<boolean> {
    const { deliveries, background } = this.#options;
    if (this.#retired || this.#running.size >= most_running || (!background && this.#own.size === 0)) return false;
    if (!(await deliveries.anyDue())) return false;
    const job = await deliveries.claim({ full: this.#full(), only: background ? undefined : [...this.#own] });
    if (job) this.#begin(job);
    return job !== undefined;
  }

  #full(): Route[] {
    const counts = new Map<string, { route: Route; running: number }>();
    for (const route of this.#running.values()) {
      const key = `${route.member_id} ${route.channel}`;
      counts.set(key, { route, running: (counts.get(key)?.running ?? 0) + 1 });
    }
    return [...counts.values()].filter(({ running }) => running >= most_of_route).map(({ route }) => route);
  }

  #begin(job: Job): void {
    const { track, log } = this.#options;
    this.#running.set(job.id, job);
    const work = this.#deliver(job)
      .catch((err: unknown) => log.warn('A delivery could not be ended; it is made again', { notification_id: job.notification_id, err }))
      .finally(() => {
        this.#running.delete(job.id);
        if (!this.#retired) this.wake();
      });
    track(work);
  }

  async #deliver(job: Job): Promise<void> {
    const outcome = await this.#attempt(job);
    if (outcome) this.#options.attempts.add(outcome.accepted ? 'accepted' : outcome.retry ? 'postponed' : 'refused');
    for (const pause_ms of pauses_ms) {
      try {
        return await this.#settle(job, outcome);
      } catch (err) {
        this.#options.log.warn('The outcome of a delivery could not be stored; tried again', { notification_id: job.notification_id, err });
        await sleep(pause_ms);
      }
    }
    await this.#settle(job, outcome);
  }

  /** Undefined where it has to end before it is known. */
  async #attempt({ notification_id, member_id, channel: name }: Job): Promise<Outcome | undefined> {
    const { rows, items, directory, preferences, log } = this.#options;
    const [notification, chosen] = await Promise.all([items.find(notification_id, member_id), rows.chosen(member_id)]);
    const wanted = chosen.get(name);
    const channel = directory.find(name);
    if (!notification) return undefined;
    if (!wanted?.enabled) return never(`The channel '${name}' was switched off`);
    if (!channel) return { ...never(`The channel '${name}' is not there now: its extension is not active`), retry: true };
    const settings = preferences.settingsOf(wanted);
    if (!settings) return never('The secrets of this channel can no longer be opened: enter them again');
    try {
      return await attempt(channel, { settings, note: noteOf(notification), signal: this.#ending.signal }, { log });
    } catch (fault) {
      if (this.#ending.signal.aborted) return undefined;
      throw fault;
    }
  }

  async #settle(job: Job, outcome: Outcome | undefined): Promise<void> {
    const { rows, items, deliveries, random } = this.#options;
    if (!outcome) return deliveries.release(job);
    await rows.hold(job.member_id, async () => {
      if (outcome.accepted) {
        await deliveries.accept(job);
        await items.accepted(job.notification_id, job.channel);
      } else {
        const { error, retry, retry_after_ms } = outcome;
        await deliveries.fail(job, error, retry ? waitAfter(job.attempts, { random: random(), retry_after_ms }) : undefined);
      }
      await items.setError(job.notification_id, await deliveries.errorOf(job.notification_id));
    });
  }
}

function never(error: string): Refusal {
  return { accepted: false, error, retry: false };
}
