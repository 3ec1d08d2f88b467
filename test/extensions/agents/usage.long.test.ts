import t from 'tap';
import type { AgentsEvents } from '../../../extensions/agents/contract.js';
import { migrations } from '../../../extensions/agents/migrations/index.js';
import { defineModels } from '../../../extensions/agents/models.js';
import { SettingsStore } from '../../../extensions/agents/profiles/store.js';
import { Budget } from '../../../extensions/agents/usage/budget.js';
import { dayOf, daysBefore, daysBetween, endOf, readTime } from '../../../extensions/agents/usage/day.js';
import { Reports } from '../../../extensions/agents/usage/reports.js';
import { UsageStore } from '../../../extensions/agents/usage/store.js';
import type { MembersService } from '../../../extensions/members/contract.js';
import { startCluster } from '../../helpers/cluster.js';
import { eachDatabase } from '../../helpers/databases.js';
import { sayFor } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { connect } from '../../kernel/platform/http/socket/client.js';
import { watchStatements } from '../chat/statements.js';
import { administrator, login, onEachPlatform, someone, withModel } from '../chat/world.js';
import { agentsOf, employ } from './employment.js';

const vic = { member_id: 2, name: 'Vic' };
const cost = (input_tokens: number, output_tokens: number, model = 'm') => ({
  usage: { input_tokens, output_tokens },
  model,
  estimated: false,
});

t.test('usage is totalled by day and model, and by reply', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const world = await startBudget(data);
    const { budget, reports, clock } = world;
    await budget.spend(vic, 'reply-1', cost(100, 10));
    await budget.spend(vic, 'reply-1', cost(200, 20));
    await budget.spend(vic, 'reply-2', cost(3_000_000_000, 0, 'large'));
    await budget.spend({ member_id: 3, name: 'Otto' }, 'reply-3', cost(7, 7));
    clock.time += 86_400_000;
    await budget.spend(vic, 'reply-1', { ...cost(1, 1), estimated: true });
    t.same(await reports.report(2, {}), {
      member_id: 2,
      from: '2029-12-03',
      to: '2030-01-01',
      input_tokens: 3_000_000_301,
      output_tokens: 31,
      calls: 4,
      replies: 3,
      costs: [],
      days: [
        { day: '2029-12-31', input_tokens: 3_000_000_300, output_tokens: 30, calls: 3, replies: 2, costs: [] },
        { day: '2030-01-01', input_tokens: 1, output_tokens: 1, calls: 1, replies: 1, costs: [] },
      ],
      models: [
        { model: 'large', input_tokens: 3_000_000_000, output_tokens: 0, calls: 1, replies: 1, costs: [] },
        { model: 'm', input_tokens: 301, output_tokens: 31, calls: 3, replies: 2, costs: [] },
      ],
      budget: { day: '2030-01-01', used: 2, limit: 0, paused: false, resets_at: '2030-01-02T00:00:00.000Z' },
    });
    t.match(await reports.report(2, { from: '2030-01-01', to: '2030-01-01T23:00:00+00:00' }), { input_tokens: 1, days: [{}] });
    t.match(await reports.replies(2, { limit: 2 }), [
      { message_id: 'reply-1', model: 'm', input_tokens: 1, estimated: true },
      { message_id: 'reply-2', model: 'large', input_tokens: 3_000_000_000, estimated: false },
    ]);
    t.match(await reports.replies(2, { limit: 10, before: '2030-01-01T00:00:00' }), [
      { message_id: 'reply-2' },
      { message_id: 'reply-1', calls: 2 },
    ]);
  });
});

t.test('concurrent costs are stored together, and each counts', async (t) => {
  const seen = watchStatements('INTO agents_');
  await eachDatabase(t, async (t, data) => {
    const { budget, reports } = await startBudget(data);
    const otto = { member_id: 3, name: 'Otto' };
    seen.length = 0;
    await Promise.all(Array.from({ length: 100 }, (_, n) => budget.spend(n % 2 ? vic : otto, `reply-${n % 40}`, cost(n, 1))));
    t.ok(seen.length <= 8, `100 costs took ${seen.length} statements`);
    t.match(await reports.report(2, {}), { input_tokens: 2_500, output_tokens: 50, calls: 50, replies: 20 });
    t.match(await reports.report(3, {}), { input_tokens: 2_450, output_tokens: 50, calls: 50, replies: 20 });
    t.match(
      await reports.replies(2, { limit: 200 }),
      Array.from({ length: 20 }, () => ({ model: 'm' })),
    );
  });
});

t.test('usage is kept by reply for 90 days and by day for 800', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const { budget, reports, clock, store } = await startBudget(data);
    for (let n = 0; n < 1_203; n += 1)
      await store.add([{ ...vic, ...taken, message_id: `reply-${n}`, day: dayOf(clock.time), at: clock.iso() }]);
    clock.time += 91 * 86_400_000;
    await budget.spend(vic, 'reply-new', cost(1, 1));
    await reports.sweep();
    t.match(await reports.replies(2, { limit: 200 }), [{ message_id: 'reply-new' }]);
    t.match(await reports.report(2, { from: '2029-12-31' }), { replies: 1_204 });
    clock.time += 801 * 86_400_000;
    await reports.sweep();
    t.match(await reports.report(2, { from: '2029-12-31', to: '2030-11-01' }), { replies: 0, days: [] });
  });
});

const taken = { model: 'm', input_tokens: 1, output_tokens: 1, estimated: false, requested_by: null, room_id: null };

t.test(
  "administrators are notified once at 80 % of a day's limit and once at the limit; a new day or a higher limit resumes work",
  async (t) => {
    await eachDatabase(t, async (t, data) => {
      const { budget, clock, events, limit } = await startBudget(data);
      await limit(1_000);
      await budget.spend(vic, 'r', cost(700, 99));
      await budget.assert(vic);
      t.same(events, []);
      await budget.spend(vic, 'r', cost(1, 0));
      await budget.spend(vic, 'r', cost(1, 0));
      t.same(events.splice(0), [
        { day: '2029-12-31', used: 800, limit: 1_000, paused: false, resets_at: '2030-01-01T00:00:00.000Z', ...vic, percent: 80 },
      ]);
      await budget.spend(vic, 'r', cost(198, 1));
      await budget.spend(vic, 'r', cost(1, 0));
      t.match(events.splice(0), [{ used: 1_000, paused: true, percent: 100 }]);
      await t.rejects(budget.assert(vic), {
        code: 'token_limit',
        message:
          'Vic has used its tokens for today, 1001 of 1000. It continues at 2030-01-01T00:00:00.000Z, or when an administrator raises tokens_per_day',
        retry_after: 43_200,
      });
      await budget.assert({ member_id: 3, name: 'Otto' });

      await limit(2_000);
      await budget.assert(vic);
      await budget.spend(vic, 'r', cost(999, 0));
      t.match(events.splice(0), [{ limit: 2_000, percent: 100 }], 'a cost above several thresholds causes one event');
      await t.rejects(budget.assert(vic), { code: 'token_limit' });
      await limit(10_000);
      await budget.spend(vic, 'r', cost(6_000, 0));
      t.match(
        events.splice(0),
        [{ used: 8_000, limit: 10_000, percent: 80 }],
        'a raised limit causes the warning again when it is reached',
      );
      await limit(9_999);
      await budget.spend(vic, 'r', cost(1, 0));
      t.same(events, [], 'a warning that was passed already is not repeated');
      await limit(2_000);

      clock.time += 43_200_000;
      await budget.assert(vic);
      await budget.spend(vic, 'r', cost(1_600, 0));
      t.match(events, [{ day: '2030-01-01', percent: 80 }]);
    });
  },
);

t.test('concurrent usage is counted and notified once', async (t) => {
  await eachDatabase(t, async (t, data) => {
    const { budget, events, limit } = await startBudget(data);
    await limit(1_000);
    await Promise.all(Array.from({ length: 50 }, (_, n) => budget.spend(vic, `reply-${n % 10}`, cost(10, 10))));
    t.match(await budget.day(2), { used: 1_000, paused: true });
    t.same(events.map(({ percent }) => percent).sort(), [100, 80]);
  });
});

t.test('an AI employee over its daily limit is paused with the time of its return, and works again with a higher limit', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const agents = agentsOf(platform);
    const { member_id, talk } = await employ(platform);
    const ada = (await someone(t, platform)).http;
    await agents.update({ member_id, limits: { tokens_per_day: 100 } });
    model.script(sayFor(90, 20));
    const { reply } = await talk(ada);
    t.match(reply, { status: 'completed', usage: { input_tokens: 90, output_tokens: 20 } }, 'the current reply is not aborted');
    t.match(await agents.usage_replies({ member_id, limit: 5 }), [
      { message_id: reply.id, model: 'test-model', input_tokens: 90, calls: 1 },
    ]);

    const asked = model.exchanges.length;
    t.match((await talk(ada)).reply, {
      status: 'failed',
      error: { code: 'token_limit', message: /Vic has used its tokens for today, 110 of 100\. It continues at \d{4}-.*T00:00:00\.000Z/ },
    });
    t.equal(model.exchanges.length, asked, 'the model was not requested');
    t.equal((await administrator(platform).members.list_virtual({})).find(({ id }) => id === member_id)?.status, 'paused');
    t.match(await agents.get({ member_id }), { status: 'paused', budget: { used: 110, limit: 100, paused: true } });

    await agents.update({ member_id, limits: { tokens_per_day: 1_000 } });
    t.match((await talk(ada)).reply, { status: 'completed' });
    t.match(await agents.usage({ member_id }), {
      input_tokens: 180,
      output_tokens: 40,
      calls: 2,
      replies: 2,
      models: [{ model: 'test-model' }],
    });
    t.equal((await agents.get({ member_id })).status, 'idle');
  });
});

t.test("a running task ends when the day's limit is reached, and administrators are notified at once", async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const agents = agentsOf(platform);
    const { member_id, talk } = await employ(platform);
    const ada = await someone(t, platform);
    const [admin, member] = await Promise.all(
      [(await login(t, platform)).token, ada.token].map(async (token) => {
        const socket = await connect(t, platform.url, { token });
        socket.send({ type: 'subscribe', id: 1, data: { topics: ['agents.budget'] } });
        return socket;
      }),
    );
    t.match(await member?.next('error'), { id: 1 }, 'a member may not read it');
    await admin?.next('ack');
    await agents.update({ member_id, limits: { tokens_per_day: 100 } });
    model.script((exchange) => {
      exchange.text('Let me see.');
      exchange.toolCall(0, { name: 'members_list' });
      exchange.delta({}, 'tool_calls');
      exchange.usage(84, 1);
      exchange.end();
    });
    const { reply } = await talk(ada.http);
    t.match(reply, {
      status: 'failed',
      content: /^Let me see\./,
      error: { code: 'token_limit', message: /170 of 100/ },
      tool_calls: [{}, {}],
    });
    t.match(await admin?.next('agents.budget'), { data: { member_id, percent: 80, used: 85 } });
    t.match(await admin?.next('agents.budget'), { data: { member_id, percent: 100, used: 170, paused: true } });
  });
});

t.test('usage on one instance pauses the employee on the others', { skip: skipWithout('postgres', 'redis') }, async (t) => {
  const { model, options } = await withModel(t);
  const [one, two] = await startCluster(t, 2, options);
  if (!one || !two) throw new Error('There should be two instances');
  const { member_id, talk } = await employ(one);
  await agentsOf(one).update({ member_id, limits: { tokens_per_day: 100 } });
  model.script(sayFor(90, 20));
  t.match((await talk(await login(t, one))).reply, { status: 'completed' });
  t.match((await talk(await login(t, two))).reply, { error: { code: 'token_limit' } });
});

t.test('days and times are parsed and computed in UTC', async (t) => {
  t.equal(endOf('2030-12-31'), '2031-01-01T00:00:00.000Z');
  t.equal(daysBefore('2030-03-01', 1), '2030-02-28');
  t.equal(daysBetween('2030-01-01', '2030-01-31'), 30);
  const at = (text: string) => new Date(readTime(text) ?? 0).toISOString();
  t.equal(at('2030-01-02'), '2030-01-02T00:00:00.000Z');
  t.equal(at('2030-01-02T03:04'), '2030-01-02T03:04:00.000Z');
  t.equal(at('2030-01-02 03:04:05.6'), '2030-01-02T03:04:05.600Z');
  t.equal(at('2030-01-02T03:04:05+02:00'), '2030-01-02T01:04:05.000Z');
  for (const nonsense of ['', 'now', '2030-13-01', '20300101', '2030-01-02T03']) t.equal(readTime(nonsense), undefined);
});

type Data = Parameters<Parameters<typeof eachDatabase>[1]>[1];

/** Usage and budget on a database alone, at noon of a day. */
async function startBudget(data: Data) {
  await data.migrate('agents', migrations);
  const db = data.facade('agents');
  const clock = { time: Date.parse('2029-12-31T12:00:00.000Z'), now: () => clock.time, iso: () => new Date(clock.time).toISOString() };
  const events: AgentsEvents['agents.budget'][] = [];
  const models = defineModels(db);
  const settings = new SettingsStore(db, models.settings, { seconds: 1_800, first_byte_seconds: 120, idle_seconds: 120 });
  const { settings: usual } = settings.defaults;
  const store = new UsageStore(db, models);
  const budget = new Budget({ store, settings, clock, tokens: { add() {} }, announce: async (event) => void events.push(event) });
  const members = { virtual: async () => ({}) } as unknown as MembersService;
  const limit = async (tokens_per_day: number) => {
    await settings.put(2, { ...usual, limits: { ...usual.limits, tokens_per_day } }, clock.iso());
    await budget.limitChanged(2);
  };
  const prices = async () => () => undefined;
  return { budget, store, clock, events, limit, reports: new Reports({ store, budget, members, prices, clock }) };
}
