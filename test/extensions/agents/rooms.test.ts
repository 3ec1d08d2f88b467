import t from 'tap';
import type { Session } from '../../../extensions/chat/contract.js';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { until } from '../../helpers/eventually.js';
import { callTools, type Exchange, type Script, say } from '../../helpers/model-server.js';
import { administrator, collect, failureOf, login, onEachPlatform, type Someone, someone, textsOf, type World } from '../chat/world.js';

interface Room {
  ada: Someone;
  ben: Someone;
  session_id: string;
  /** Text that mentions the AI employee. */
  ask: string;
}

/** A room of ada, who owns it, ben and an AI employee that asks by its mode only for what is dangerous. */
async function roomIn(
  t: Parameters<typeof someone>[0],
  { platform }: World,
  isAdmin: (name: 'ada' | 'ben') => boolean = () => false,
): Promise<Room> {
  const admin = administrator(platform);
  const member = async (name: 'ada' | 'ben') => {
    const one = await someone(t, platform);
    if (!isAdmin(name)) return one;
    await admin.members.update({ id: one.id, role: 'admin' });
    const http = await login(t, platform, one.name);
    return { ...one, http, token: http.token };
  };
  const [ada, ben] = [await member('ada'), await member('ben')];
  const { id, username } = await admin.members.create_virtual({ name: `Vic ${ada.name}`, post: '', mode: 'autonomous' });
  const made = { title: 'Plans', target_type: 'room' as const, target_id: '', member_ids: [ben.id, id] };
  const { id: session_id } = await ada.http.sessions.create(made);
  return { ada, ben, session_id, ask: `@${username} look it up` };
}

/** Calls a tool and then repeats what it has returned. */
function looksUp(name: string, input: object = {}): Script[] {
  const repeat = (exchange: Exchange) => {
    const result = exchange.body.messages.findLast(({ role }) => role === 'tool')?.content;
    return say(`It says: ${String(result).slice(0, 500)}`)(exchange);
  };
  return [callTools([{ name, arguments: input }]), repeat];
}

async function answerIn({ ada, ben, session_id, ask }: Room, { platform: _platform, model }: World, scripts: Script[]) {
  model.script(...scripts);
  const sent = await ada.http.chat.send({ session_id, content: ask });
  const events = collect(ben.http.messages.stream({ message_id: sent.message_id }));
  return { sent, events };
}

const pendingOf = (one: Someone) =>
  until(
    () => one.http.approvals.list({ status: 'pending', limit: 20, offset: 0 }),
    (approvals) => approvals.length > 0,
  );

t.test('in a room an AI employee uses freely what every member of the platform may see, and what the room itself holds', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world);
    const free = await answerIn(room, world, looksUp('members_list', { keyword: room.ada.name, page_size: 1 }));
    const seen = JSON.stringify(await free.events);
    t.match(seen, /It says: .*items/);
    t.notMatch(seen, /approval\.required/);
    const own = await answerIn(room, world, looksUp('messages_list', { session_id: room.session_id }));
    t.notMatch(JSON.stringify(await own.events), /approval\.required/);
  });
});

t.test("in a room the asker alone approves what depends on the asker's rights; others see the input once the tool runs", async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world);
    const { ada, ben } = room;
    await ada.http.sessions.create({ title: 'Divorce lawyer', target_type: '', target_id: '' });
    const { events } = await answerIn(room, world, looksUp('sessions_list', { limit: 17 }));
    const [approval] = await pendingOf(ada);
    t.match(approval, { name: 'sessions.list', requested_by: ada.id, input: { limit: 17 }, room_title: 'Plans' });
    t.same(await ben.http.approvals.list({ status: 'pending', limit: 20, offset: 0 }), []);
    const id = approval?.id as string;
    t.match(await failureOf(ben.http.approvals.get({ id })), { code: 'approval_not_found' });
    t.match(await failureOf(ben.http.approvals.decide({ id, decision: 'approve', reason: '' })), { code: 'approval_not_found' });
    await ada.http.approvals.decide({ id, decision: 'approve', reason: '' });
    const seen = await events;
    const data = (type: string) => seen.find((event) => event.type === type)?.data;
    t.match(data('tool.started'), { name: 'sessions.list', input: null });
    t.match(data('approval.required'), { approval: { name: 'sessions.list', requested_by: ada.id, input: null } });
    t.match(data('tool.input'), { input: { limit: 17 } });
    t.match(JSON.stringify(seen), /It says: .*Divorce lawyer/);
  });
});

t.test('a denied tool shows the room neither its input nor a result', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world);
    const { events, sent } = await answerIn(room, world, looksUp('messages_search', { q: 'blackmail' }));
    const [approval] = await pendingOf(room.ada);
    await room.ada.http.approvals.decide({ id: approval?.id as string, decision: 'deny', reason: '' });
    t.notMatch(JSON.stringify(await events), /blackmail/);
    const { reply_id } = await room.ben.http.tasks.get({ task_id: sent.task_id as string });
    t.match(await room.ben.http.messages.get({ message_id: reply_id }), { tool_calls: [{ name: 'messages.search', input: null }] });
  });
});

t.test("an administrator's tool runs freely only while all people of the room are administrators", async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const all = await roomIn(t, world, () => true);
    const free = await answerIn(all, world, looksUp('schedules_list'));
    t.notMatch(JSON.stringify(await free.events), /approval\.required/);
    const mixed = await roomIn(t, world, (name) => name === 'ada');
    const asking = await answerIn(mixed, world, looksUp('schedules_list'));
    const [approval] = await pendingOf(mixed.ada);
    t.match(approval, { name: 'schedules.list' });
    await mixed.ada.http.approvals.decide({ id: approval?.id as string, decision: 'deny', reason: '' });
    await asking.events;
    const none = await roomIn(t, world, (name) => name === 'ben');
    const unknown = await answerIn(none, world, looksUp('schedules_list'));
    t.match(JSON.stringify(await unknown.events), /Unknown tool/);
  });
});

t.test("with a plugin's own member in the room, only what concerns the room runs freely", async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const { platform } = world;
    const room = await roomIn(t, world);
    const [maker] = platform.kernel.host.running.get('members')?.draft.slots.get('plugins.member') ?? [];
    const plugin = await (maker as { caller(plugin: object): Promise<{ member_id: number }> }).caller({
      id: `acme.p${room.ada.id}`,
      name: 'Plugin',
    });
    await room.ada.http.sessions.add_member({ session_id: room.session_id, member_id: plugin.member_id });
    const { events } = await answerIn(room, world, looksUp('members_list'));
    const [approval] = await pendingOf(room.ada);
    t.match(approval, { name: 'members.list' });
    await room.ada.http.approvals.decide({ id: approval?.id as string, decision: 'deny', reason: '' });
    await events;
    const own = await answerIn(room, world, looksUp('messages_list', { session_id: room.session_id }));
    t.notMatch(JSON.stringify(await own.events), /approval\.required/);
  });
});

t.test('a task that has read private data stops before more members can read the room', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world);
    const { ada, session_id } = room;
    let isAsked = false;
    const never: Script = () => {
      isAsked = true;
    };
    const { events, sent } = await answerIn(room, world, [callTools([{ name: 'sessions_list' }]), never]);
    const [approval] = await pendingOf(ada);
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
    await until(async () => isAsked, Boolean);
    t.match(await ada.http.sessions.update({ session_id, visibility: 'open' }), { visibility: 'open' } satisfies Partial<Session>);
    const task = await ada.http.tasks.get({ task_id: sent.task_id as string });
    t.match(task, { status: 'cancelled', reason: 'room_widened' });
    await events;
  });
});

t.test('an approval does not hold for members who came after it was asked for', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world);
    const { ada, session_id } = room;
    const cleo = await someone(t, world.platform);
    await ada.http.sessions.create({ title: 'Divorce lawyer', target_type: '', target_id: '' });
    const { events } = await answerIn(room, world, looksUp('sessions_list'));
    const [approval] = await pendingOf(ada);
    await ada.http.sessions.add_member({ session_id, member_id: cleo.id });
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
    t.notMatch(JSON.stringify(await events), /Divorce lawyer/);
    t.notMatch(JSON.stringify(await cleo.http.messages.list({ session_id, limit: 50 })), /Divorce lawyer/);
  });
});

t.test('work that is scheduled from a room is asked for in the room, with its rights, and ends with it', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world, (name) => name === 'ada');
    const { ada, ben, session_id } = room;
    const { events } = await answerIn(room, world, looksUp('schedule', { when: '12h', prompt: 'How is the jam?' }));
    const [approval] = await pendingOf(ada);
    t.match(approval, { name: 'schedule', session_id, room_title: 'Plans' });
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
    await events;
    const admin = connect<SchedulesApi>(world.platform.kernel.operations(), direct(world.platform.kernel));
    const find = async () => (await admin.schedules.list({ limit: 100, offset: 0 })).items.find((one) => one.room_id === session_id);
    const schedule = await find();
    t.match(schedule, { action: 'chat.send', created_by: ada.id, room_id: session_id });
    const id = schedule?.id as number;
    world.model.script(say('It sets'));
    await admin.schedules.run({ id });
    await until(
      () => ben.http.messages.list({ session_id, limit: 50 }),
      (messages) => messages.at(-1)?.content === 'It sets',
    );
    await ada.http.sessions.delete({ session_id });
    const { run_id } = await admin.schedules.run({ id });
    const run = await until(
      () => admin.schedules.run_record({ id, run_id }),
      ({ finished_at }) => finished_at !== null,
    );
    t.match(run, { status: 'failed', error_code: 'room_gone' });
    t.match(await admin.schedules.get({ id }), { enabled: false, disabled_reason: 'room_gone' });
  });
});

t.test('a schedule from a room is refused if its runs could never do what they need approval for', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world, (name) => name === 'ada');
    const create = async (action: string, params: object) => {
      const planned = { name: 'Jam', trigger_type: 'interval', trigger_value: '12h', action, params };
      const { events } = await answerIn(room, world, looksUp('schedules_create', planned));
      const [approval] = await pendingOf(room.ada);
      await room.ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
      return JSON.stringify(await events);
    };
    t.match(await create('tasks.run', { prompt: 'How is the jam?' }), /nobody could approve 'tasks\.run'.*\(forbidden\)/);
    t.match(await create('chat.send', { session_id: room.session_id, content: 'Jam!' }), /next_run_at/);
  });
});

t.test("a schedule whose action is changed in a room has the room's rights from then on", async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world, (name) => name === 'ada');
    const { session_id } = room;
    const admin = connect<SchedulesApi>(world.platform.kernel.operations(), direct(world.platform.kernel));
    const timing = { name: 'Jam', trigger_type: 'interval', trigger_value: '12h', timezone: 'UTC' } as const;
    const { id } = await admin.schedules.create({ ...timing, action: 'tasks.run', params: { prompt: 'How is the jam?' } });
    const update = async (change: object) => {
      const { events } = await answerIn(room, world, looksUp('schedules_update', { id, ...change }));
      const [approval] = await pendingOf(room.ada);
      await room.ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
      return JSON.stringify(await events);
    };
    t.match(await update({ params: { prompt: 'Read my mail' } }), /nobody could approve 'tasks\.run'.*\(forbidden\)/);
    t.match(await admin.schedules.get({ id }), { params: { prompt: 'How is the jam?' }, room_id: null });
    t.match(await update({ name: 'Jelly' }), /Jelly/);
    t.match(await admin.schedules.get({ id }), { name: 'Jelly', action: 'tasks.run', room_id: null });
    t.match(await update({ action: 'chat.send', params: { session_id, content: 'Jam!' } }), /next_run_at/);
    t.match(await admin.schedules.get({ id }), { action: 'chat.send', created_by: room.ada.id, room_id: session_id });
  });
});

t.test('demoting an administrator stops tasks that have read what is for administrators', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world, () => true);
    let isAsked = false;
    const never: Script = () => {
      isAsked = true;
    };
    const { events, sent } = await answerIn(room, world, [callTools([{ name: 'schedules_list' }]), never]);
    await until(async () => isAsked, Boolean);
    await administrator(world.platform).members.update({ id: room.ben.id, role: 'member' });
    const { task_id } = sent;
    t.match(await room.ada.http.tasks.get({ task_id: task_id as string }), { status: 'cancelled', reason: 'room_widened' });
    await events.catch(() => undefined);
  });
});

t.test('a command after several mentions is run by each AI employee that is mentioned', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const ada = await someone(t, platform);
    const made = ['Vic', 'Zoe'].map((name) =>
      administrator(platform).members.create_virtual({ name: `${name} ${ada.name}`, post: '', mode: 'assistant' }),
    );
    const employees = await Promise.all(made);
    const member_ids = employees.map(({ id }) => id);
    const { id: session_id } = await ada.http.sessions.create({ title: 'Plans', target_type: 'room', target_id: '', member_ids });
    const before = model.exchanges.length;
    const mentions = employees.map(({ username }) => `@${username}`).join(' ');
    const { message_id } = await ada.http.chat.send({ session_id, content: `${mentions} /help` });
    const texts = [...textsOf(await collect(ada.http.messages.stream({ message_id }))).values()];
    t.match(texts, [/^I know these commands/, /^I know these commands/]);
    t.same([texts.length, model.exchanges.length], [2, before], 'the model is not asked');
  });
});

t.test('a schedule that sends to a room ends with the room, and when its creator leaves', async (t) => {
  await onEachPlatform(t, async (t, world) => {
    const room = await roomIn(t, world, () => true);
    const { ada, ben, session_id } = room;
    const schedules = async ({ token }: Someone) => {
      const caller = await world.platform.kernel.tokenCaller(token, 'direct');
      return connect<SchedulesApi>(world.platform.kernel.operations(), direct(world.platform.kernel, caller)).schedules;
    };
    const sender = async (one: Someone) => {
      const params = { session_id, content: 'Jam!' };
      const planned = { name: 'Jam', trigger_type: 'interval' as const, trigger_value: '12h', action: 'chat.send', params };
      return (await (await schedules(one)).create(planned)).id;
    };
    const [of_ada, of_ben] = [await sender(ada), await sender(ben)];
    const endOf = async (id: number) => {
      const { run, run_record, get } = await schedules(ada);
      const { run_id } = await run({ id });
      const { status, error_code } = await until(
        () => run_record({ id, run_id }),
        ({ finished_at }) => finished_at !== null,
      );
      const { enabled, disabled_reason } = await get({ id });
      return { status, error_code, enabled, disabled_reason };
    };
    const gone = { status: 'failed', error_code: 'room_gone', enabled: false, disabled_reason: 'room_gone' };
    await ben.http.sessions.remove_member({ session_id, member_id: ben.id });
    t.same(await endOf(of_ben), gone);
    t.match(await endOf(of_ada), { status: 'success', enabled: true });
    await ada.http.sessions.delete({ session_id });
    t.same(await endOf(of_ada), gone);
  });
});
