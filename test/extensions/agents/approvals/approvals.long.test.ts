import t from 'tap';
import type { Mode } from '../../../../extensions/members/contract.js';
import type { StreamEvent } from '../../../../kernel/contract/index.js';
import { until } from '../../../helpers/eventually.js';
import { callTools, say } from '../../../helpers/model-server.js';
import { callerOf, type TestPlatform } from '../../../helpers/platform.js';
import { connect } from '../../../kernel/platform/http/socket/client.js';
import { administrator, failureOf, messageIn, readOn, replyTo, typesOf } from '../../chat/world.js';
import { ask, asked, bring, onOneAndTwo, openApprovals, pair, tool } from '../world.js';

const effects = ['read', 'write', 'dangerous'] as const;
const approvalsIn = (events: readonly StreamEvent[], type: string) =>
  events.filter((event) => event.type === type).map(({ data }) => (data as { approval: { id: string; status: string } }).approval);

async function statusOf(platform: TestPlatform, id: number) {
  return (await administrator(platform).members.list_virtual({})).find((each) => each.id === id)?.status;
}

t.test('mode and effect determine which calls need approval', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const asking: Record<Mode, readonly string[]> = {
      assistant: ['write', 'dangerous'],
      supervised: ['read', 'write', 'dangerous'],
      autonomous: ['dangerous'],
    };
    for (const mode of ['assistant', 'supervised', 'autonomous'] as const) {
      const { ada, target_id } = await pair(t, one, mode);
      const ran: string[] = [];
      bring(effects.map((effect) => tool(effect, () => ({ output: `${ran.push(effect)}` }), { effect })));
      model.script(callTools(effects.map((name) => ({ name, arguments: { of: name } }))), say('Done.'));
      const sent = await ada.http.chat.send({ content: 'Go', target_id });
      const { end } = await readOn(ada.http.messages.stream({ message_id: sent.message_id }));
      const open = await openApprovals(ada.http, sent, asking[mode].length);
      t.same(open.map(({ name }) => name).sort(), [...asking[mode]].sort(), `${mode}: all pending approvals are shown at once`);
      await until(
        async () => ran.length,
        (count) => count === 3 - asking[mode].length,
      );
      t.notOk(ran.some((name) => asking[mode].includes(name)));
      t.match(open[0], { requested_by: ada.id, member_id: target_id, status: 'pending', decided_by: null, input: { of: open[0]?.name } });
      t.equal((await ada.http.tasks.get({ task_id: sent.task_id as string })).status, 'waiting_approval');
      t.equal(await statusOf(two, target_id), 'waiting');
      const there = await ada.on(two);
      for (const { id } of open) {
        t.match(await there.approvals.decide({ id, decision: 'approve', reason: '' }), {
          status: 'approved',
          decided_by: ada.id,
          decided_by_name: ada.name,
        });
      }
      const events = await end;
      t.same([...ran].sort(), [...effects].sort());
      const { tool_calls, ...reply } = await replyTo(ada.http, sent);
      t.match(reply, { status: 'completed', content: 'Done.' });
      t.match(
        tool_calls,
        effects.map((name) => ({ name, error: null })),
      );
      t.equal(approvalsIn(events, 'approval.required').length, asking[mode].length);
      t.same(
        approvalsIn(events, 'approval.resolved').map(({ status }) => status),
        asking[mode].map(() => 'approved'),
      );
      t.equal(await statusOf(two, target_id), 'idle');
    }
  });
});

t.test('pending approvals are announced to other extensions without their input', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one] }) => {
    const { ada, target_id } = await pair(t, one, 'assistant');
    bring([tool('change', () => ({ output: 'Done' }), { effect: 'write' })]);
    model.script(callTools([{ name: 'change', arguments: { of: 'a secret' } }]), say('I see.'));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    const { input, ...told } = approval ?? {};
    t.same(input, { of: 'a secret' });
    t.same(
      asked.filter((event) => event.approval.id === approval?.id),
      [{ approval: told, members: [ada.id] }],
    );
    await ada.http.chat.abort({ message_id: sent.message_id });
  });
});

t.test('a denied call does not run, and the model learns by whom and why', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'assistant');
    const ran: string[] = [];
    bring([tool('change', () => ({ output: `${ran.push('ran')}` }), { effect: 'write' })]);
    model.script(callTools([{ name: 'change' }]), say('I see.'));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    const id = approval?.id as string;
    const there = await ada.on(two);
    const decided = await there.approvals.decide({ id, decision: 'deny', reason: 'Not today' });
    t.match(decided, { status: 'denied', reason: 'Not today', decided_by: ada.id, decided_by_name: ada.name });
    t.match(
      await until(
        async () => replyTo(ada.http, sent),
        ({ status }) => status === 'completed',
      ),
      {
        content: 'I see.',
        tool_calls: [{ name: 'change', output: null, error: `${ada.name} denied this: Not today.` }],
      },
    );
    t.same(ran, []);
    t.match(model.exchanges.at(-1)?.body.messages.at(-1), { role: 'tool', content: /^Error: .* denied this: Not today/ });

    t.same(await there.approvals.decide({ id, decision: 'deny', reason: 'Really' }), decided, 'repeating the decision changes nothing');
    t.same(await failureOf(ada.http.approvals.decide({ id, decision: 'approve', reason: '' })), { code: 'approval_decided', status: 409 });
    t.match(await ada.http.approvals.get({ id }), { status: 'denied' });
  });
});

t.test('one of two concurrent decisions counts', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'assistant');
    const ran: string[] = [];
    bring([tool('change', () => ({ output: `${ran.push('ran')}` }), { effect: 'write' })]);
    const there = await ada.on(two);
    for (let turn = 0; turn < 5; turn += 1) {
      model.script(callTools([{ name: 'change' }]), say('Well.'));
      const before = ran.length;
      const sent = await ada.http.chat.send({ content: 'Go', target_id });
      const [approval] = await openApprovals(ada.http, sent);
      const id = approval?.id as string;
      const outcomes = await Promise.all([
        failureOf(ada.http.approvals.decide({ id, decision: 'approve', reason: '' })),
        failureOf(there.approvals.decide({ id, decision: 'deny', reason: '' })),
      ]);
      t.same(outcomes.filter(Boolean), [{ code: 'approval_decided', status: 409 }]);
      await until(
        async () => replyTo(ada.http, sent),
        ({ status }) => status === 'completed',
      );
      t.equal(ran.length - before, outcomes[0] === undefined ? 1 : 0);
    }
  });
});

t.test('only the member who asked can decide an approval: no other member, model or tool', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'supervised');
    const { ada: bob } = await pair(t, one, 'supervised');
    bring([tool('look', () => ({ output: 'seen' }))]);
    model.script(callTools([{ name: 'look' }, { name: 'approvals_decide', arguments: { decision: 'approve' } }]), say('Done.'));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    const id = approval?.id as string;
    const decision = { id, decision: 'approve' as const, reason: '' };
    for (const other of [bob.http, await bob.on(two), administrator(one), administrator(two)]) {
      t.same(await failureOf(other.approvals.get({ id })), { code: 'approval_not_found', status: 404 });
      t.same(await failureOf(other.approvals.decide(decision)), { code: 'approval_not_found', status: 404 });
      t.same(
        (await other.approvals.list({ limit: 200, offset: 0 })).filter((each) => each.id === id),
        [],
      );
    }
    for (const door of ['tool', 'mcp', 'plugin', 'schedule'] as const) {
      const caller = callerOf({ member_id: ada.id, username: ada.name, role: 'member', door });
      t.same(await failureOf(one.kernel.invoke('approvals.decide', decision, caller)), { code: 'approval_needs_person', status: 403 });
    }
    await ada.http.approvals.decide(decision);
    const { tool_calls } = await until(
      async () => replyTo(ada.http, sent),
      ({ status }) => status === 'completed',
    );
    t.match(tool_calls, [{ output: 'seen' }, { error: /Unknown tool 'approvals_decide'/ }]);
    const operations = Object.entries(one.kernel.operations()).filter(([, { tool }]) => tool);
    t.notOk(operations.some(([name]) => name.startsWith('approvals.')));
  });
});

t.test('an abort cancels a pending approval at once', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'supervised');
    bring([tool('look', () => ({ output: 'seen' }))]);
    model.script(callTools([{ name: 'look' }, { name: 'look', id: 'c2' }]));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const { end } = await readOn(ada.http.messages.stream({ message_id: sent.message_id }));
    const open = await openApprovals(ada.http, sent, 2);
    const there = await ada.on(two);
    await there.members.get({ id: ada.id });
    const at = performance.now();
    t.match(await there.chat.abort({ message_id: sent.message_id }), { aborted: true });
    const took = performance.now() - at;
    t.ok(took < 2_000, `the abort took ${Math.round(took)} ms, but did not wait for the 2.5 s that an answerer has to end`);
    const events = await end;
    t.same(
      approvalsIn(events, 'approval.resolved').map(({ status }) => status),
      ['cancelled', 'cancelled'],
    );
    t.ok(messageIn(events, 'message.aborted'));
    t.equal(typesOf(events).at(-1), 'done');
    for (const { id } of open) {
      t.equal((await there.approvals.get({ id })).status, 'cancelled');
      t.same(await failureOf(there.approvals.decide({ id, decision: 'approve', reason: '' })), { code: 'approval_cancelled', status: 409 });
    }
    t.equal(await statusOf(two, target_id), 'idle');
  });
});

t.test('approvals are deleted with their session and with their AI employee', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'supervised');
    bring([tool('look', () => ({ output: 'seen' }))]);
    model.script(callTools([{ name: 'look' }]));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    const there = await ada.on(two);
    await there.sessions.delete({ session_id: sent.session_id });
    t.same(await failureOf(there.approvals.get({ id: approval?.id as string })), { code: 'approval_not_found', status: 404 });
    const again = await ada.http.chat.send({ content: 'Go', target_id });
    await openApprovals(ada.http, again);
    await administrator(two).members.delete({ id: target_id });
    await until(
      async () => ada.http.approvals.list({ limit: 50, offset: 0 }),
      (all) => all.length === 0,
    );
    t.same(await failureOf(ada.http.tasks.get({ task_id: again.task_id as string })), { code: 'task_not_found', status: 404 });
  });
});

t.test('an approval expires after a day, and the model continues without it', async (t) => {
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  await onOneAndTwo(
    t,
    async (t, { model, platforms: [one, two] }) => {
      ahead = 0;
      const { ada, target_id } = await pair(t, one, 'supervised');
      bring([tool('look', () => ({ output: 'seen' }))]);
      model.script(callTools([{ name: 'look' }]), say('Nobody answered.'));
      const sent = await ada.direct.chat.send({ content: 'Go', target_id });
      const [approval] = await openApprovals(ada.direct, sent);
      t.equal(Date.parse(approval?.expires_at ?? '') - Date.parse(approval?.created_at ?? ''), 24 * 3_600_000);
      ahead = 24 * 3_600_000;
      t.match(
        await until(
          async () => replyTo(ada.direct, sent),
          ({ status }) => status === 'completed',
        ),
        {
          content: 'Nobody answered.',
          tool_calls: [{ error: /Nobody approved this within 24 h/ }],
        },
      );
      const decision = { id: approval?.id as string, decision: 'approve', reason: '' };
      const caller = callerOf({ member_id: ada.id, username: ada.name, role: 'member' });
      t.same(await failureOf(two.kernel.invoke('approvals.decide', decision, caller)), { code: 'approval_expired', status: 409 });
    },
    { clock },
  );
});

t.test('a shutdown cancels pending approvals and reports why the reply ended', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one], again }) => {
    const { ada, target_id } = await pair(t, one, 'supervised');
    bring([tool('look', () => ({ output: 'seen' }))]);
    model.script(callTools([{ name: 'look' }]));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    await one.kernel.close();
    const { kernel } = await again();
    const caller = callerOf({ member_id: ada.id, username: ada.name, role: 'member' });
    t.match((await kernel.invoke('approvals.get', { id: approval?.id }, caller)).body, { status: 'cancelled', decided_by: null });
    t.match((await kernel.invoke('tasks.get', { task_id: sent.task_id }, caller)).body, { status: 'failed', reason: 'interrupted' });
  });
});

t.test('pending approvals survive a replacement of the extension', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    for (const replaced of ['agents', 'chat']) {
      const { ada, target_id } = await pair(t, one, 'supervised');
      bring([tool('look', () => ({ output: 'seen' }))]);
      model.script(
        callTools([{ name: 'look' }, { name: 'members_get', arguments: { id: ada.id } }]),
        callTools([{ name: 'look' }]),
        say('Done.'),
      );
      const sent = await ada.http.chat.send({ content: 'Go', target_id });
      const open = await openApprovals(ada.http, sent, 2);
      await one.kernel.installer.reload(replaced);
      const there = await ada.on(two);
      for (const { id } of open) await there.approvals.decide({ id, decision: 'approve', reason: '' });
      const [later] = await openApprovals(ada.http, sent);
      await there.approvals.decide({ id: later?.id as string, decision: 'approve', reason: '' });
      const reply = await until(
        async () => replyTo(ada.http, sent),
        ({ status }) => status === 'completed',
      );
      t.match(reply, { content: 'Done.', tool_calls: [{ output: 'seen' }, { output: /"username"/ }, { output: 'seen' }] }, replaced);
    }
  });
});

t.test("slash commands need approval like a model's calls, so approvals work without a model", async (t) => {
  await onOneAndTwo(
    t,
    async (t, { platforms: [one] }) => {
      const { ada, target_id } = await pair(t, one, 'assistant');
      bring([
        tool('run', (input) => ({ output: `ran ${(input as { command: string }).command}` }), {
          effect: 'write',
          slash: { command: 'run', usage: '/run <command>', parse: (rest) => ({ command: rest }) },
        }),
      ]);
      t.match(
        (await ask(ada.http, { content: '/help', target_id })).reply.content,
        /`\/run <command>`: Does run.*`\/schedule`: unavailable/s,
      );
      const sent = await ada.http.chat.send({ content: '/run ls -l', target_id });
      const [approval] = await openApprovals(ada.http, sent);
      t.match(approval, { name: 'run', input: { command: 'ls -l' }, effect: 'write' });
      await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
      t.match(
        await until(
          async () => replyTo(ada.http, sent),
          ({ status }) => status === 'completed',
        ),
        { content: /ran ls -l/ },
      );
      const again = await ada.http.chat.send({ content: '/call toolsmith.note {"text": "x"}', target_id });
      const [note] = await openApprovals(ada.http, again);
      await ada.http.approvals.decide({ id: note?.id as string, decision: 'deny', reason: 'No' });
      t.match(
        await until(
          async () => replyTo(ada.http, again),
          ({ status }) => status === 'completed',
        ),
        { content: /failed: .* denied this: No/ },
      );
    },
    { settings: { 'agents.model.base_url': '' } },
  );
});

t.test('only the sockets of a session receive its approvals', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [one, two] }) => {
    const { ada, target_id } = await pair(t, one, 'supervised');
    const { ada: bob } = await pair(t, one, 'supervised');
    bring([tool('look', () => ({ output: 'seen' }))]);
    model.script(callTools([{ name: 'look' }]), say('Done.'));
    const [socket, stranger] = [await connect(t, two.url, { token: ada.token }), await connect(t, two.url, { token: bob.token })];
    for (const each of [socket, stranger]) await each.next('hello');
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const { data } = await socket.next('approval.required');
    const { id } = data.approval as { id: string };
    t.match(data, { session_id: sent.session_id, approval: { name: 'look', status: 'pending' } });
    await ada.http.approvals.decide({ id, decision: 'approve', reason: '' });
    t.match((await socket.next('approval.resolved')).data, { approval: { id, status: 'approved', decided_by: ada.id } });
    t.same(
      stranger.frames.filter(({ type }) => type.startsWith('approval.')),
      [],
    );
  });
});
