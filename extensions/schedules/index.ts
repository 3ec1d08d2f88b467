import { type Cleaner, type Context, type Extension, mayAdminister, type ToolSlot } from '../../kernel/contract/index.js';
import type { Member, Members, MembersEvents } from '../members/contract.js';
import { codes } from './codes.js';
import type { HttpRequest, Run, Schedules } from './contract.js';
import { handlersOf } from './handlers.js';
import { Housekeeping } from './housekeeping.js';
import { HttpCaller } from './http-caller.js';
import { migration as m0001 } from './migrations/0001-schedules.js';
import { migration as m0002 } from './migrations/0002-utc-times.js';
import { operations } from './operations.js';
import { Claimer } from './runs/claimer.js';
import { Endings } from './runs/endings.js';
import { Reaper } from './runs/reaper.js';
import { Runner } from './runs/runner.js';
import { Vault } from './secrets.js';
import { type Actions, Service, shownTo } from './service.js';
import { History } from './store/history.js';
import { RunStore } from './store/runs.js';
import { ScheduleStore } from './store/schedules.js';
import { SchedulingTools } from './tools.js';

/** How often a look is taken for what is due, in ms: one for all schedules together. */
const look_ms = 200;

/** What instances tell each other. */
const channels = { stop: 'schedules.stop', wake: 'schedules.wake' };
const cleaners = 'maintenance.cleanup';

async function activate(ctx: Context<Schedules>): Promise<void> {
  const { db, bus, clock, log, instance, background } = ctx;
  const members = ctx.use<Members>('members');
  const schedules = new ScheduleStore(db);
  const runs = new RunStore(db);
  const history = new History(db);
  const vault = new Vault(ctx.secrets);
  const endings = new Endings({ schedules, runs, emit: (topic, payload) => ctx.emit(topic, payload) });
  const ended = ctx.counter('runs_total', 'Runs of schedules that ended, by how', 'status');
  const told = (changed: readonly Run[]) => {
    for (const { status, finished_at } of changed) if (finished_at !== null) ended.add(status);
    for (const run of changed) ctx.push({ topic: 'schedules' }, { type: 'schedule.run', data: withoutTalk(run) });
  };

  const runner = ctx.own(
    new Runner({
      db,
      clock,
      log,
      instance,
      background,
      runs,
      endings,
      told,
      caller: (member_id) => members.caller(member_id, 'schedule'),
      track: (work) => ctx.track(work),
      execution: {
        now: () => clock.now(),
        invoke: (operation, input, caller, options) => ctx.invoke(operation, vault.open(input), caller, options),
        schedulable: (operation) => ctx.operations().some(({ id, schedulable: may }) => may && id === operation),
      },
    }),
  );
  const stop = (stopped: readonly Run[]) => {
    const ids = stopped.map(({ id }) => id);
    runner.stop(ids, 'cancelled');
    if (ids.length > 0) void bus.publish(channels.stop, { ids }).catch(() => undefined);
  };
  const wake = () => {
    runner.wake();
    // Another instance may have room.
    if (!background) void bus.publish(channels.wake, {}).catch(() => undefined);
  };
  const claimer = new Claimer({ db, clock, schedules, runs, told, stop, wake });
  const reaper = new Reaper({ db, clock, instance, renew: () => runner.renew(), schedules, runs, endings, told });
  const housekeeping = new Housekeeping({ history, clock });

  ctx.signal.addEventListener('abort', () => {
    runner.retire();
    // After a replacement what was claimed goes on; otherwise nobody would be there to end it.
    if (ctx.signal.reason === 'replaced') return;
    runner.stopAll();
    // Versions that were replaced still run here what they had claimed.
    void bus.publish(channels.stop, { instance }).catch(() => undefined);
  });
  const stopping = ({ ids = [], instance: ended }: { ids?: number[]; instance?: string }) => {
    runner.stop(ids, 'cancelled');
    if (ended === instance) runner.stopAll();
  };
  ctx.own({ dispose: await bus.subscribe(channels.stop, stopping) });
  ctx.own({ dispose: await bus.subscribe(channels.wake, () => runner.wake()) });
  endWithCreators(ctx, { schedules, runs, told, stop });
  ctx.topic('schedules', 'admin');
  ctx.every({ name: 'due', every_ms: look_ms }, async () => {
    await claimer.claim(() => ctx.signal.aborted);
    await runner.poll();
  });
  ctx.every({ name: 'leases', every_ms: 5_000 }, async () => {
    await reaper.reap();
    await reaper.heal();
  });
  ctx.contribute(cleaners, { name: 'history', clean: () => housekeeping.clean() } satisfies Cleaner);
  // No other process has the database of one with SQLite: whatever another has claimed is dead.
  if (background && db.dialect === 'sqlite') await reaper.reap({ whatever_lease: true });
  ctx.metric('running_schedules', 'Runs of schedules that are under way in this process', () => runner.running);

  const service = new Service({
    db,
    clock,
    vault,
    schedules,
    runs,
    history,
    mentioned: (mention) => ctx.emit('schedules.mentioned', mention),
    about: (id) => ctx.about(id),
    told,
    stop,
    wake,
    adopt: (run_id) => runner.adopt(run_id),
    actions: actionsOf(ctx),
    isAdmin: async (member_id) => isAdmin(await members.get(member_id)),
  });
  const tools: ToolSlot = 'agents.tools';
  ctx.contribute(tools, new SchedulingTools(async (operation, input, caller) => (await ctx.invoke(operation, input, caller)).body));
  ctx.expose(operations, handlersOf({ service, http: new HttpCaller((url, options) => ctx.fetch(url, options)) }), codes);
}

/** Whether a schedule of the member may run; it runs with all the scopes of its creator. */
function isAdmin(member: Member | undefined): boolean {
  return member?.active === true && mayAdminister({ role: member.role, scopes: 'all' });
}

interface CreatorParts {
  schedules: ScheduleStore;
  runs: RunStore;
  told: (changed: readonly Run[]) => void;
  stop: (stopped: readonly Run[]) => void;
}

/** Disables the schedules of members who are deleted or become inactive. */
function endWithCreators(ctx: Pick<Context<Schedules>, 'take' | 'clock' | 'db'>, { schedules, runs, told, stop }: CreatorParts): void {
  ctx.take<MembersEvents['members.deleted']>('members.deleted', async ({ id }) => {
    const disabled = await schedules.disableOf(id, 'creator_gone');
    told(await runs.cancelWaiting(disabled, { now: ctx.clock.now(), code: 'disabled', result: 'Its creator is gone' }));
  });
  ctx.take<MembersEvents['members.deactivated']>('members.deactivated', async ({ id }) => {
    const disabled = await schedules.disableOf(id, 'creator_inactive');
    const cancelled = await runs.cancelOf(await schedules.idsOf(id), {
      now: ctx.clock.now(),
      code: 'disabled',
      result: 'Its creator is inactive',
    });
    told(cancelled);
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
    foresee: async (action, params) => {
      const { url } = params as Partial<HttpRequest>;
      if (action === 'http.request' && typeof url === 'string' && /^https?:\/\//i.test(url)) await ctx.checkUrl(url);
    },
  };
}

/** As it is told to all administrators. */
function withoutTalk(run: Run): Run {
  return shownTo(undefined, 0, run);
}

export default { migrations: [m0001, m0002], activate } satisfies Extension<Schedules>;
