import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock, Log } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import type { Presence, PresenceProvider, PresenceService, PresenceStatus } from '../../contract/socket.js';
import { endsWithin } from '../../contract/within.js';
import type { Data } from '../data/hub.js';
import { Board, type Change, type Present, strongest } from './board.js';
import { SeenStore } from './store-sql.js';
import { Virtuals } from './virtuals.js';

export interface PresencesOptions {
  data: Data;
  bus: Bus;
  clock: Clock;
  log: Log;
  /** Id of this process on the bus. */
  instance: string;
  /** Whether there may be other instances. */
  clustered: boolean;
  /** Returns the providers of presence for members without sockets; called each time. */
  providers: () => readonly PresenceProvider[];
}

/** A member's presence, as sent to clients. */
export interface PresenceRecord extends Presence {
  member_id: number;
}

/** One socket of a member. */
export interface Device {
  set(status: Present): void;
  close(): void;
}

/** Message between instances: all of their members, or those that have changed (`null`: gone). */
type Notice = { from: string } & (
  | { all: [number, Present][] }
  | { changed: [number, Present | null][] }
  | { ask: true }
  | { refresh: true }
  | { forget: number }
);

const channel = 'kernel.presence';
/**
 * Time in which changes are batched: at least, for each member with a socket here, and at most. Each batch is a write to each socket, so that
 * thousands who connect at once would otherwise keep a core busy with telling each other.
 */
const gather_ms = { least: 50, of_member: 0.2, most: 2_000 } as const;
const tick_ms = 1_000;
const heartbeat_ms = 10_000;
/** Silence after which an instance counts as dead; its members were last seen then. */
const lapse_ms = 30_000;
const seen_ms = 60_000;
/** Time after a member's deletion in which late changes of its sockets are ignored. */
const forgotten_ms = 5 * 60_000;
/** Limit of the wait for other instances at the start. */
const answer_ms = 250;
const closing_ms = 1_000;

/** Tracks presence across instances, each of which broadcasts its connected members. */
export class Presences implements PresenceService {
  readonly #options: PresencesOptions;
  readonly #board = new Board();
  readonly #seen: SeenStore;
  readonly #virtuals: Virtuals;
  readonly #devices = new Map<number, Set<{ status: Present }>>();
  /** Time of the last message from each other instance. */
  readonly #heard = new Map<string, number>();
  readonly #changed = new Map<number, PresenceRecord>();
  readonly #untold = new Set<number>();
  /** Last-seen times of members without a socket here, until they are stored. */
  #unwritten = new Map<number, string>();
  #writing: Promise<void> = Promise.resolve();
  /** Deletion times of deleted members. */
  readonly #forgotten = new Map<number, number>();
  #listener: (changes: readonly PresenceRecord[]) => void = () => undefined;
  #gathering: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #unsubscribe: () => Promise<void> = async () => undefined;
  #synchronised: Promise<unknown> = Promise.resolve();
  #told_at = 0;
  #told_any = false;
  #seen_at = 0;

  private constructor(options: PresencesOptions) {
    this.#options = options;
    this.#seen = new SeenStore(options.data);
    this.#virtuals = new Virtuals(options);
  }

  static async open(options: PresencesOptions): Promise<Presences> {
    const opened = new Presences(options);
    await opened.#start();
    return opened;
  }

  /** Sets the listener for batched changes. */
  listen(listener: (changes: readonly PresenceRecord[]) => void): void {
    this.#listener = listener;
  }

  /** Registers a socket of a member. */
  connect(member_id: number): Device {
    const device = { status: 'online' as Present };
    const devices = this.#devices.get(member_id) ?? new Set();
    this.#devices.set(member_id, devices.add(device));
    this.#look(member_id);
    if (this.#devices.size === 1) void this.#ask();
    return {
      set: (status) => {
        device.status = status;
        if (devices.has(device)) this.#look(member_id);
      },
      close: () => {
        if (!devices.delete(device)) return;
        if (devices.size === 0) this.#devices.delete(member_id);
        this.#look(member_id);
      },
    };
  }

  /** Returns the members that are present. */
  present(): PresenceRecord[] {
    const last_seen_at = this.#options.clock.iso();
    return Array.from(this.#board.present(), ([member_id, status]) => ({ member_id, status, last_seen_at }));
  }

  async of(member_ids: readonly number[]): Promise<ReadonlyMap<number, Presence>> {
    const statuses = await this.statuses(member_ids);
    const seen = await this.#seen.read([...statuses.keys()].filter((id) => statuses.get(id) === 'offline'));
    const now = this.#options.clock.iso();
    return new Map(
      member_ids.map((id) => {
        const status = this.#board.get(id);
        const last = this.#unwritten.get(id) ?? seen.get(id) ?? null;
        return [id, status ? { status, last_seen_at: now } : { status: 'offline', last_seen_at: last }];
      }),
    );
  }

  async statuses(member_ids: readonly number[]): Promise<ReadonlyMap<number, PresenceStatus>> {
    await this.#synchronised;
    if (this.#virtuals.stale) await this.#ask();
    return new Map(member_ids.map((id) => [id, this.#board.get(id) ?? 'offline']));
  }

  refresh(): void {
    this.#tell({ refresh: true });
    this.#renew();
  }

  /** Deletes all data of a deleted member, on all instances. */
  async forget(member_id: number): Promise<void> {
    this.#tell({ forget: member_id });
    await this.#forget(member_id);
  }

  async close(): Promise<void> {
    clearInterval(this.#ticking);
    clearTimeout(this.#gathering);
    for (const member_id of this.#devices.keys()) this.#unwritten.set(member_id, this.#options.clock.iso());
    this.#devices.clear();
    const farewell = this.#told_any ? this.#publish({ all: [] }) : Promise.resolve();
    await endsWithin(closing_ms, Promise.allSettled([farewell, this.#write(), this.#unsubscribe()]));
  }

  async #start(): Promise<void> {
    const { bus, clustered } = this.#options;
    this.#unsubscribe = await bus.subscribe(channel, (notice: Notice) => this.#hear(notice));
    this.#ticking = setInterval(() => this.#tick(), tick_ms).unref();
    if (!clustered) return;
    this.#tell({ ask: true });
    this.#synchronised = sleep(answer_ms, undefined, { ref: false });
  }

  /** Updates a member's status from its sockets here. */
  #look(member_id: number): void {
    const { instance, clock } = this.#options;
    // Read the clock once, so that stored and sent times are equal.
    const at = clock.now();
    const devices = this.#devices.get(member_id);
    const status = devices && strongest([...devices].map((device) => device.status));
    if (status) this.#unwritten.delete(member_id);
    else this.#unwritten.set(member_id, new Date(at).toISOString());
    this.#untold.add(member_id);
    this.#take(this.#board.set(instance, member_id, { status, at }));
    this.#gather();
  }

  #take(changes: readonly Change[]): void {
    const { clock } = this.#options;
    for (const { member_id, status, left_at } of changes) {
      const last_seen_at = left_at === undefined || left_at < 0 ? clock.iso() : new Date(left_at).toISOString();
      this.#changed.set(member_id, { member_id, status, last_seen_at });
    }
    if (changes.length > 0) this.#gather();
  }

  #gather(): void {
    const { least, of_member, most } = gather_ms;
    const wait_ms = Math.min(most, Math.max(least, this.#devices.size * of_member));
    this.#gathering ??= setTimeout(() => this.#flush(), wait_ms).unref();
  }

  #flush(): void {
    this.#gathering = undefined;
    const changes = [...this.#changed.values()];
    this.#changed.clear();
    if (changes.length > 0) this.#listener(changes);
    const changed = [...this.#untold].map((id): [number, Present | null] => [id, this.#ownStatus(id) ?? null]);
    this.#untold.clear();
    if (changed.length > 0) this.#tell({ changed });
  }

  #ownStatus(member_id: number): Present | undefined {
    return strongest([...(this.#devices.get(member_id) ?? [])].map((device) => device.status));
  }

  #hear(notice: Notice): void {
    const { instance, clock } = this.#options;
    if (notice.from === instance) return;
    const now = clock.now();
    if ('refresh' in notice) this.#renew();
    else if ('forget' in notice) void this.#forget(notice.forget).catch((err: unknown) => this.#notWritten(err));
    else if ('ask' in notice) this.#tellAll();
    else {
      this.#heard.set(notice.from, now);
      if ('all' in notice) this.#take(this.#board.replace(notice.from, new Map(notice.all), now));
      else this.#take(notice.changed.flatMap(([id, status]) => this.#board.set(notice.from, id, { status: status ?? undefined, at: now })));
    }
  }

  #tick(): void {
    const now = this.#options.clock.now();
    for (const [member_id, at] of this.#forgotten) if (now - at >= forgotten_ms) this.#forgotten.delete(member_id);
    for (const [from, at] of this.#heard) {
      if (now - at < lapse_ms) continue;
      this.#heard.delete(from);
      this.#take(this.#board.replace(from, new Map(), at));
    }
    this.#take(this.#board.settle(now));
    if (now - this.#told_at >= heartbeat_ms) this.#beat(now);
    if (now - this.#seen_at >= seen_ms) this.#noteSeen(now);
    void this.#write();
  }

  #beat(now: number): void {
    this.#told_at = now;
    if (this.#devices.size > 0) void this.#ask();
    if (this.#devices.size > 0 || this.#told_any) this.#tellAll();
  }

  #tellAll(): void {
    this.#told_any = this.#devices.size > 0;
    this.#tell({ all: [...this.#devices.keys()].flatMap((id) => [[id, this.#ownStatus(id)] as [number, Present]]) });
  }

  /** Records last-seen times periodically, so that a crash loses at most a minute. */
  #noteSeen(now: number): void {
    this.#seen_at = now;
    const seen = new Map(this.#unwritten);
    for (const member_id of this.#devices.keys()) seen.set(member_id, this.#options.clock.iso());
    this.#unwritten = seen;
  }

  #write(): Promise<void> {
    for (const member_id of this.#forgotten.keys()) this.#unwritten.delete(member_id);
    if (this.#unwritten.size === 0) return this.#writing;
    const seen = this.#unwritten;
    this.#unwritten = new Map();
    this.#writing = this.#writing.then(() => this.#seen.write(seen)).catch((err: unknown) => this.#notWritten(err));
    return this.#writing;
  }

  async #forget(member_id: number): Promise<void> {
    this.#forgotten.set(member_id, this.#options.clock.now());
    this.#unwritten.delete(member_id);
    // Wait for a write in progress, which would create the row again.
    await this.#writing;
    await this.#seen.delete(member_id);
  }

  #notWritten(err: unknown): void {
    this.#options.log.warn('Could not store when members were last seen', { err });
  }

  #renew(): void {
    this.#virtuals.expire();
    void this.#ask();
  }

  /** Asks the providers for members without sockets. These get no grace period: the providers are authoritative. */
  async #ask(): Promise<void> {
    const now = this.#options.clock.now();
    const present = await this.#virtuals.ask();
    this.#take(this.#board.replace('', present, Number.NEGATIVE_INFINITY));
    this.#take(this.#board.settle(now));
  }

  #tell(
    notice: { ask: true } | { refresh: true } | { forget: number } | { all: [number, Present][] } | { changed: [number, Present | null][] },
  ): void {
    void this.#publish(notice);
  }

  async #publish(notice: object): Promise<void> {
    const { bus, instance, log } = this.#options;
    await bus.publish(channel, { ...notice, from: instance }).catch((cause: unknown) => {
      log.debug('Could not broadcast presence to the other instances', { cause });
    });
  }
}
