import { isDeepStrictEqual } from 'node:util';
import {
  type Caller,
  type Clock,
  type Database,
  type Failure,
  fail as failInput,
  isFailure,
  mentionedNames,
} from '../../kernel/contract/index.js';
import { fail } from './codes.js';
import type {
  NewSchedule,
  NewTrigger,
  Preview,
  Run,
  RunPage,
  RunQuery,
  Schedule,
  ScheduleMentioned,
  SchedulePage,
  ScheduleQuery,
  StartedRun,
} from './contract.js';
import { hasMaskedSecret, maskSecrets, restoreSecrets, type Vault } from './secrets.js';
import type { RunStore } from './store/runs-sql.js';
import type { ScheduleStore, Settings, StoredSchedule } from './store/schedules-sql.js';
import type { Trigger } from './triggers/trigger.js';

export interface ServiceParts {
  db: Database;
  clock: Clock;
  schedules: ScheduleStore;
  runs: RunStore;
  actions: Actions;
  /** Publishes, in the current transaction, that a schedule mentions people. */
  onMention: (mention: ScheduleMentioned) => Promise<void>;
  /** Names the schedule in the request's audit record. */
  about: (id: number) => void;
  vault: Vault;
  /** Whether the member is currently an administrator. */
  isAdmin: (member_id: number) => Promise<boolean>;
  onRunsChanged: (runs: readonly Run[]) => void;
  /** Stops the runs with these ids, on whichever instance. */
  stop: (runs: readonly Run[]) => void;
  wake: () => void;
  /** Announces a run requested in a process that runs a single command. */
  adopt: (run_id: number) => void;
}

/** The operations that schedules may run. */
export interface Actions {
  /** Returns the ids of the operations, sorted. */
  all(): string[];
  /** Fails with `invalid_input` unless the operation accepts the params. */
  validate(action: string, params: object): void;
  /** Returns whether a run with the rights of everyone in the room may ever do this; otherwise each would need an approval. */
  mayRunInRoom(action: string, params: object, room_id: string): boolean;
  /** Fails as the operation would, if that is known in advance; params that {@link validate} refuses pass. */
  precheck(action: string, params: object): Promise<void>;
}

const max_params_length = 65_536;

/** The rules of schedules. */
export class Service {
  readonly #parts: ServiceParts;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async list(query: ScheduleQuery): Promise<SchedulePage> {
    const { items, total } = await this.#parts.schedules.page(query);
    return { items: items.map((stored) => this.#recordOf(stored)), total };
  }

  async get(id: number): Promise<Schedule> {
    return this.#recordOf(await this.#require(id));
  }

  async create(input: NewSchedule, { member_id, room }: Caller): Promise<Schedule> {
    const { db, clock, schedules, vault, about } = this.#parts;
    const settings = { ...(input as Required<NewSchedule>), created_by: member_id, room_id: room?.session_id ?? null };
    await this.#assertNotPast(settings);
    this.#assertAction(settings);
    await this.#parts.actions.precheck(settings.action, settings.params);
    const planned = await this.#planned({ ...settings, params: vault.seal(settings.params) });
    const stored = await db.transaction(async () => {
      const inserted = await schedules.insert(planned, clock.iso());
      about(inserted.id);
      await this.#mention({ ...settings, id: inserted.id }, member_id);
      return inserted;
    });
    return this.#recordOf(stored);
  }

  /** Planned times are recomputed if the timing changes or the schedule is enabled. */
  async update(id: number, change: Partial<NewSchedule>, caller: Caller): Promise<Schedule> {
    await this.#checkChangedAction(id, change);
    return this.#change(id, caller, () => change);
  }

  async toggle(id: number, caller: Caller): Promise<Schedule> {
    return this.#change(id, caller, ({ enabled }) => ({ enabled: !enabled }));
  }

  async delete(id: number): Promise<void> {
    const { db, clock, schedules, runs, stop } = this.#parts;
    const stopped = await db.transaction(async () => {
      await this.#lock(id);
      const open = await runs.cancelOf([id], { now: clock.now(), code: 'deleted', result: '' });
      await runs.deleteOf(id);
      await schedules.delete(id);
      return open;
    });
    stop(stopped);
  }

  /** Applies whatever runs are open, and even if it is disabled. */
  async run(id: number): Promise<StartedRun> {
    const { db, clock, runs, onRunsChanged, wake, adopt } = this.#parts;
    const now = clock.now();
    const open = { status: 'queued', finished_at: null, result: '', error_code: null, ready_at: now } as const;
    const run = await db.transaction(async () => {
      await this.#lock(id);
      const [added] = await runs.insert([{ schedule_id: id, cause: 'manual', scheduled_for: now, started_at: now, ...open }]);
      if (!added) throw new Error('A requested run has no row');
      return added;
    });
    db.afterCommit(() => {
      onRunsChanged([run]);
      adopt(run.id);
      wake();
    });
    return { run_id: run.id, status: 'queued' };
  }

  async history(id: number, query: RunQuery, { member_id }: Caller): Promise<RunPage> {
    const { created_by } = await this.#require(id);
    const { items, total } = await this.#parts.runs.page(id, query);
    return { items: items.map((run) => isVisibleTo(member_id, created_by, run)), total };
  }

  async runRecord(id: number, run_id: number, { member_id }: Caller): Promise<Run> {
    const { created_by } = await this.#require(id);
    return isVisibleTo(member_id, created_by, await this.#requireRun(id, run_id));
  }

  /** The next queued run starts afterwards. */
  async cancel(id: number, run_id: number, { member_id }: Caller): Promise<Run> {
    const { db, clock, runs, onRunsChanged, stop, wake } = this.#parts;
    const now = clock.now();
    const { run, created_by } = await db.transaction(async () => {
      const { created_by } = await this.#lock(id);
      const run = await runs.cancel(run_id, { now, code: 'cancelled', result: 'Stopped by an administrator' });
      if (run?.schedule_id !== id) throw await this.#notOpen(id, run_id);
      await runs.release([id], now);
      return { run, created_by };
    });
    stop([run]);
    onRunsChanged([run]);
    wake();
    return isVisibleTo(member_id, created_by, run);
  }

  async #notOpen(id: number, run_id: number): Promise<Failure> {
    const { status } = await this.#requireRun(id, run_id);
    return fail('run_finished', `Run ${run_id} is no longer open: it is '${status}'`);
  }

  async #requireRun(id: number, run_id: number): Promise<Run> {
    const run = await this.#parts.runs.find(id, run_id);
    if (!run) throw fail('run_not_found', `Schedule ${id} has no run ${run_id}`);
    return run;
  }

  /** Returns the planned times of an enabled schedule from its next one; of a disabled one from now, as if it were enabled now. */
  async preview(id: number, count: number): Promise<Preview> {
    const { next_at, ...stored } = await this.#require(id);
    return next_at === null ? this.previewOf(stored, count) : this.#times(stored, { count, planned: next_at });
  }

  previewOf({ timezone = 'UTC', ...trigger }: NewTrigger, count: number): Promise<Preview> {
    return this.#times({ ...trigger, timezone }, { count });
  }

  async #times(time: NewTime, { count, planned }: { count: number; planned?: number }): Promise<Preview> {
    const now = this.#parts.clock.now();
    const { timezone } = time;
    const trigger = await triggerOf(time, planned ?? now);
    const format = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, dateStyle: 'full', timeStyle: 'long' });
    const times: Preview['times'] = [];
    const first = planned !== undefined && planned > now ? planned : trigger.next(now);
    for (let at = first; at !== undefined && times.length < count; at = trigger.next(at)) {
      times.push({ at: new Date(at).toISOString(), local: format.format(at) });
    }
    return { times, timezone };
  }

  /** Returns the settings with the next planned time, computed from now. */
  async #planned(settings: Omit<Settings, 'next_at' | 'disabled_reason'>): Promise<Settings> {
    if (!settings.enabled) return { ...settings, next_at: null, disabled_reason: null };
    const next_at = await this.#next(settings);
    if (next_at === undefined) throw fail('time_passed', pastMessage(settings));
    return { ...settings, next_at, disabled_reason: null };
  }

  async #replanned(stored: StoredSchedule, settings: Settings): Promise<Settings> {
    const isSameTime = sameTime(stored, settings);
    if (!isSameTime) await this.#assertNotPast(settings);
    return isSameTime && stored.enabled === settings.enabled ? settings : this.#planned(settings);
  }

  /** A given time must be in the future, even if the schedule isn't enabled yet. */
  async #assertNotPast(settings: NewTime): Promise<void> {
    if ((await this.#next(settings)) !== undefined) return;
    const message = pastMessage(settings);
    throw fail('trigger_invalid', message, { details: [{ path: 'trigger_value', message }] });
  }

  async #next(time: NewTime): Promise<number | undefined> {
    const now = this.#parts.clock.now();
    return (await triggerOf(time, now)).next(now);
  }

  /** Fails as the changed action would. Resolves names, so it runs outside a transaction; other faults are found within it. */
  async #checkChangedAction(id: number, change: Partial<NewSchedule>): Promise<void> {
    const { schedules, vault, actions } = this.#parts;
    const stored = change.action === undefined && change.params === undefined ? undefined : await schedules.find(id);
    if (!stored) return;
    const { action = stored.action } = change;
    const params = this.#paramsOf(stored, change);
    if (action !== stored.action || params) await actions.precheck(action, params ?? vault.readable(stored.params));
  }

  async #change(id: number, caller: Caller, changeOf: (stored: StoredSchedule) => Partial<NewSchedule>): Promise<Schedule> {
    const { member_id } = caller;
    const { db, clock, schedules, runs, vault, onRunsChanged } = this.#parts;
    const { record, cancelled } = await db.transaction(async () => {
      const stored = await this.#lock(id);
      const requested = changeOf(stored);
      const params = this.#paramsOf(stored, requested);
      const change = { ...requested, params: params ? vault.seal(params) : stored.params };
      const room_id = roomOf(stored, requested, caller);
      const settings = { ...stored, ...change, room_id, created_by: await this.#creatorOf(stored, requested, member_id) };
      const planned = await this.#replanned(stored, settings);
      if (settings.action !== stored.action || room_id !== stored.room_id || params)
        this.#assertAction({ ...settings, params: params ?? vault.open(stored.params) });
      const updated = await schedules.update(stored, planned, clock.iso());
      if (requested.name !== undefined || params) await this.#mention({ id, name: settings.name, params: params ?? {} }, member_id);
      const end = { now: clock.now(), code: 'disabled', result: 'The schedule was disabled before the run started' };
      return { record: this.#recordOf(updated), cancelled: settings.enabled ? [] : await runs.cancelWaiting([id], end) };
    });
    onRunsChanged(cancelled);
    return record;
  }

  /**
   * Undefined if the params stay, as when a client sends a whole record back: that is accepted even if the action no
   * longer accepts them or no longer exists. Secrets are never passed to an action that they weren't written for.
   */
  #paramsOf(stored: StoredSchedule, { action = stored.action, params }: Partial<NewSchedule>): object | undefined {
    const { vault } = this.#parts;
    if (action !== stored.action) return params ?? maskSecrets(vault.open(stored.params));
    if (isDeepStrictEqual(params, maskSecrets(vault.readable(stored.params)))) return undefined;
    return params && restoreSecrets(params, vault.readable(stored.params));
  }

  /**
   * Returns the member whose permissions apply from now on: the one who changes the action, or who changes a schedule
   * whose creator is gone or no longer an administrator. Otherwise one administrator could act as another.
   */
  async #creatorOf({ created_by }: StoredSchedule, { action, params }: Partial<NewSchedule>, member_id: number): Promise<number> {
    if (action !== undefined || params !== undefined) return member_id;
    return (await this.#parts.isAdmin(created_by)) ? created_by : member_id;
  }

  #recordOf({ next_at, params, ...stored }: StoredSchedule): Schedule {
    const masked = maskSecrets(this.#parts.vault.readable(params));
    return { ...stored, params: masked, next_run_at: next_at === null ? null : new Date(next_at).toISOString() };
  }

  #assertAction({ action, params, room_id }: Pick<Settings, 'action' | 'params' | 'room_id'>): void {
    const { actions } = this.#parts;
    const all = actions.all();
    if (!all.includes(action)) {
      const message = `There is no operation '${action}' that schedules may run. Available: ${all.join(', ')}`;
      throw fail('action_not_found', message, { details: [{ path: 'action', message }] });
    }
    if (room_id !== null && !actions.mayRunInRoom(action, params, room_id)) throw notInRoom(action, room_id);
    const length = JSON.stringify(params).length;
    if (length > max_params_length)
      throw invalid([{ path: 'params', message: `"params" may have ${max_params_length} characters of JSON but has ${length}` }]);
    if (hasMaskedSecret(params))
      throw invalid([{ path: 'params', message: '"params" contain [redacted] or [unreadable] in place of a secret: enter the secret' }]);
    try {
      actions.validate(action, params);
    } catch (fault) {
      throw isFailure(fault) && fault.details
        ? invalid(
            fault.details.map(({ path, message }) => ({ path: `params.${path}`, message })),
            fault.code === 'unknown_field' ? fault.code : 'invalid_input',
          )
        : fault;
    }
  }

  async #mention({ id, name, params }: Pick<StoredSchedule, 'id' | 'name' | 'params'>, member_id: number): Promise<void> {
    const names = mentionedNames([name, ...textsIn(params)].join('\n'));
    if (names.length > 0) await this.#parts.onMention({ schedule_id: id, name, names, member_id });
  }

  async #require(id: number): Promise<StoredSchedule> {
    return (await this.#parts.schedules.find(id)) ?? notFound(id);
  }

  async #lock(id: number): Promise<StoredSchedule> {
    return (await this.#parts.schedules.lock(id)) ?? notFound(id);
  }
}

/** Returns the room whose rights apply from now on: an action that is changed in a room keeps that room as its origin. */
function roomOf({ room_id }: StoredSchedule, { action, params }: Partial<NewSchedule>, { room }: Caller): string | null {
  return room && (action !== undefined || params !== undefined) ? room.session_id : room_id;
}

/** Returns all texts in a JSON value. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

type NewTime = Required<NewTrigger>;

/** Reads a trigger. Its module is loaded on first use, because cron-parser would delay the start by 30 ms. */
async function triggerOf(time: NewTime, anchor: number): Promise<Trigger> {
  return (await import('./triggers/trigger.js')).triggerOf(time, anchor);
}

function sameTime(one: NewTime, other: NewTime): boolean {
  const keys = ['trigger_type', 'trigger_value', 'timezone'] as const;
  return keys.every((key) => one[key] === other[key]);
}

function pastMessage({ trigger_value }: NewTime): string {
  return `The time of the schedule, ${trigger_value}, is in the past: choose one in the future`;
}

/** A conversation's output is visible to its members only, not to other administrators. */
export function isVisibleTo(member_id: number | undefined, created_by: number, run: Run): Run {
  return run.session_id === null || member_id === created_by ? run : { ...run, result: '' };
}

function invalid(details: NonNullable<Failure['details']>, code: 'invalid_input' | 'unknown_field' = 'invalid_input'): Failure {
  return failInput(code, `The input of the action is not valid: ${details.map(({ message }) => message).join('; ')}`, {
    details,
  });
}

function notInRoom(action: string, room_id: string): Failure {
  const reason = `A schedule from a room runs with the rights of everyone there, and nobody could approve '${action}'`;
  return failInput('forbidden', `${reason}. Send a message to the room instead: 'chat.send' with "session_id": "${room_id}"`);
}

function notFound(id: number): never {
  throw fail('schedule_not_found', `There is no schedule ${id}`);
}
