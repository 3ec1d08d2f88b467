import { type Caller, type Cleaner, type Context, type Extension, mayAdminister, type ToolSlot } from '../../kernel/contract/index.js';
import type { Member, Members, MembersEvents } from '../members/contract.js';
import { codes } from './codes.js';
import type { HttpRequest, Run, Schedules } from './contract.js';
import { examples } from './examples.js';
import { handlersOf } from './handlers.js';
import { Housekeeping } from './housekeeping.js';
import { HttpCaller } from './http-caller.js';
import { migration as m0001 } from './migrations/0001-schedules.js';
import { migration as m0002 } from './migrations/0002-utc-times.js';
import { migration as m0003 } from './migrations/0003-rooms.js';
import { defineModels } from './models.js';
import { operations } from './operations.js';
import { pushedFrames, topic } from './pushed-frames.js';
import { DuePlanner } from './runs/due-planner.js';
import { RunOutcomes } from './runs/run-outcomes.js';
import { RunWork } from './runs/work.js';
import { Vault } from './secrets.js';
import { type Actions, isVisibleTo, Service } from './service.js';
import { RunStore } from './store/runs-sql.js';
import { ScheduleStore } from './store/schedules-sql.js';
import { SchedulingTools } from './tools.js';

/** Interval in ms between checks for due schedules; one check covers all schedules. */
const poll_ms = 200;

/** Signals between instances. */
const channels = { stop: 'schedules.stop', wake: 'schedules.wake' };
const cleaners = 'maintenance.cleanup';

async function activate(ctx: Context<Schedules>): Promise<void> {
  const { db, bus, clock, background } = ctx;
  const members = ctx.use<Members>('members');
  const models = defineModels(db);
  const schedules = new ScheduleStore(db, models.schedules);
  const runs = new RunStore(db, models.runs);
  const vault = new Vault(ctx.secrets);
  const outcomes = new RunOutcomes({ schedules, runs, emit: (topic, payload) => ctx.emit(topic, payload) });
  const finishedRuns = ctx.counter('runs_total', 'Finished runs of schedules, by status', 'status');
  const onRunsChanged = (changed: readonly Run[]) => {
    for (const { status, finished_at } of changed) if (finished_at !== null) finishedRuns.add(status);
    for (const run of changed) ctx.push({ topic }, { type: 'schedule.run', data: withoutConversation(run) });
  };

  const work = new RunWork({
    db,
    clock,
    background,
    runs,
    outcomes,
    onRunsChanged,
    isPlanning: () => planner.isBusy,
    caller: (member_id) => members.caller(member_id, 'schedule'),
    attempt: {
      now: () => clock.now(),
      invoke: (operation, input, caller, options) => ctx.invoke(operation, vault.open(input), caller, options),
      schedulable: (operation) => ctx.operations().some(({ id, schedulable: may }) => may && id === operation),
    },
  });
  const worker = work.open((queue) => ctx.work(queue));
  const stopHere = (ids: readonly number[]) => {
    for (const id of ids) void worker.stop(id, 'cancelled');
  };
  const stop = (stopped: readonly Run[]) => {
    const ids = stopped.map(({ id }) => id);
    stopHere(ids);
    if (ids.length > 0) void bus.publish(channels.stop, { ids }).catch(() => undefined);
  };
  const wake = () => {
    void worker.wake();
    // Another instance may have capacity.
    if (!background) void bus.publish(channels.wake, {}).catch(() => undefined);
  };
  const planner = new DuePlanner({ db, clock, schedules, runs, onRunsChanged, stop, wake });
  const housekeeping = new Housekeeping({ db, runs: models.runs, clock });

  ctx.own({ dispose: await bus.subscribe(channels.stop, ({ ids }: { ids: number[] }) => stopHere(ids)) });
  ctx.own({ dispose: await bus.subscribe(channels.wake, () => void worker.wake()) });
  disableWithCreators(ctx, { schedules, runs, onRunsChanged, stop });
  ctx.topic(topic, 'admin');
  ctx.pushes(pushedFrames);
  ctx.every({ name: 'due', every_ms: poll_ms }, () => planner.plan(() => ctx.signal.aborted));
  ctx.every({ name: 'release', every_ms: 5_000 }, () => outcomes.repair(db, clock.now()));
  ctx.contribute(cleaners, { name: 'history', clean: () => housekeeping.clean() } satisfies Cleaner);
  await worker.recover();
  ctx.metric('running_schedules', 'Runs of schedules in progress in this process', () => worker.running);

  const service = new Service({
    db,
    clock,
    vault,
    schedules,
    runs,
    onMention: (mention) => ctx.emit('schedules.mentioned', mention),
    about: (id) => ctx.about(id),
    onRunsChanged,
    stop,
    wake,
    adopt: (run_id) => worker.adopt(run_id),
    actions: actionsOf(ctx),
    isAdmin: async (member_id) => isAdmin(await members.get(member_id)),
  });
  const tools: ToolSlot = 'agents.tools';
  const invoke = async (operation: string, input: object, caller: Caller) => (await ctx.invoke(operation, input, caller)).body;
  ctx.contribute(tools, new SchedulingTools(invoke, async (member_id) => (await members.require(member_id)).username));
  ctx.examples(examples);
  ctx.expose(operations, handlersOf({ service, http: new HttpCaller((url, options) => ctx.fetch(url, options)) }), codes);
}

/** Whether the member's schedules may run; they run with all scopes of the creator. */
function isAdmin(member: Member | undefined): boolean {
  return member?.active === true && mayAdminister({ role: member.role, scopes: 'all' });
}

interface CreatorParts {
  schedules: ScheduleStore;
  runs: RunStore;
  onRunsChanged: (changed: readonly Run[]) => void;
  stop: (stopped: readonly Run[]) => void;
}

/** Disables the schedules of members who are deleted or become inactive. */
function disableWithCreators(
  ctx: Pick<Context<Schedules>, 'take' | 'clock' | 'db'>,
  { schedules, runs, onRunsChanged, stop }: CreatorParts,
): void {
  ctx.take<MembersEvents['members.deleted']>('members.deleted', async ({ id }) => {
    const disabled = await schedules.disableOf(id, 'creator_gone');
    onRunsChanged(await runs.cancelWaiting(disabled, { now: ctx.clock.now(), code: 'disabled', result: 'The creator was deleted' }));
  });
  ctx.take<MembersEvents['members.deactivated']>('members.deactivated', async ({ id }) => {
    const disabled = await schedules.disableOf(id, 'creator_inactive');
    const cancelled = await runs.cancelOf(await schedules.idsOf(id), {
      now: ctx.clock.now(),
      code: 'disabled',
      result: 'The creator is inactive',
    });
    onRunsChanged(cancelled);
    if (disabled.length > 0 || cancelled.length > 0) ctx.db.afterCommit(() => stop(cancelled));
  });
}

function actionsOf(ctx: Context<Schedules>): Actions {
  return {
    all: () =>
      ctx
        .operations()
        .filter(({ schedulable }) => schedulable)
        .map(({ id }) => id)
        .sort(),
    validate: (action, params) => ctx.validate(action, params),
    mayRunInRoom: (action, params, room_id) => {
      const { audience, builtin } = ctx.operations().find(({ id }) => id === action) ?? {};
      const { session_id } = params as { session_id?: unknown };
      // The rule of rooms asks for what depends on one member, except in the room itself.
      return audience !== 'caller' || (builtin === true && session_id === room_id);
    },
    precheck: async (action, params) => {
      const { url } = params as Partial<HttpRequest>;
      if (action === 'http.request' && typeof url === 'string' && /^https?:\/\//i.test(url)) await ctx.checkUrl(url);
    },
  };
}

/** The details that all administrators may see. */
function withoutConversation(run: Run): Run {
  return isVisibleTo(undefined, 0, run);
}

export default { migrations: [m0001, m0002, m0003], activate } satisfies Extension<Schedules>;
