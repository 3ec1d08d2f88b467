import t from 'tap';
import panel from '../../../extensions/agents/panel.js';
import type { StreamEvent } from '../../../kernel/contract/operation.js';
import { admin, drawPanel, now } from '../drawn.js';

const since = new Date(now - 60_000).toISOString();
const employee = (id: number, name: string, status = 'idle') => ({
  id,
  name,
  status,
  post: 'Assistant',
  mode: 'assistant',
  oversight: false,
  skills: [],
});
const run = (task_id: string, member_id: number, requested_by: number, tool: string | null = null) => ({
  task_id,
  member_id,
  requested_by,
  status: tool === null ? 'running' : 'waiting_approval',
  tool,
  input_tokens: 1_200,
  output_tokens: 34,
  created_at: since,
  started_at: since,
});
const budget = { day: '2026-01-02', used: 900, limit: 1_000, paused: false, resets_at: since };
const approval = { id: 'a1', task_id: 't1', name: 'members.create', input: { username: 'bob' } };

/** Answers for the panel: two AI employees, one working for the viewer, one for another member. */
function installation({ approvals = [approval], events = [] }: { approvals?: object[]; events?: StreamEvent[] } = {}) {
  const calls: unknown[] = [];
  const note = (name: string) => async (input: object) => void calls.push({ [name]: input });
  const client = {
    members: { list_virtual: async () => [employee(2, 'Ada', 'waiting'), employee(3, 'Grace', 'working'), employee(4, 'Edsger')] },
    approvals: { list: async () => approvals, get: async () => approvals[0], decide: note('decide') },
    agents: {
      get: async () => ({ model: null, tools: 'all', skills: ['x'], updated_at: null }),
      usage: async () => ({ budget, input_tokens: 5_000, output_tokens: 600, replies: 7, days: [] }),
    },
    runs: {
      list: async () => [run('t1', 2, 1, 'members.create'), run('t2', 3, 9)],
      get: async () => ({ ...run('t2', 3, 9), oversight: false, message: null, reply: null }),
      abort: note('abort'),
    },
    tasks: {
      active: async () => [{ ...run('t1', 2, 1), id: 't1', title: 'Make bob' }],
      cancel: note('cancel'),
      stream: async function* stream() {
        yield* events;
        await new Promise(() => undefined);
      },
    },
  };
  return { calls, client };
}

t.test('the panel shows each AI employee with its current work', async (t) => {
  const drawn = drawPanel(t, panel, installation());
  await drawn.shows(/2 +Ada +Assistant +assistant +waiting +asks for members\.create/);
  t.match(drawn.frame, /3 +Grace .* working +running/);
  t.match(drawn.frame, /4 +Edsger .* idle *$/m);
});

t.test('an opened AI employee shows its budget, and its request is approved after a question', async (t) => {
  const { calls, client } = installation();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Ada');
  drawn.press('enter');
  await drawn.shows('900 of 1,000 tokens (90 %)');
  await drawn.shows(/waiting_approval +you +asks for members\.create +1,234/);
  drawn.press('a');
  await drawn.shows('Let it use members.create with {"username":"bob"}? (y/n)');
  t.same(calls, [], 'nothing happens before the question is answered');
  drawn.press('y');
  await drawn.becomes(() => calls.length > 0, 'done');
  t.same(calls, [{ decide: { id: 'a1', decision: 'approve', reason: '' } }]);
});

t.test("the caller's own reply can be followed while it is written, and aborted", async (t) => {
  const events = [
    { type: 'message.delta', data: { delta: 'I make bob.\u001B[2J' } },
    { type: 'tool.started', data: { tool_call_id: '1', name: 'members.create', input: {} } },
    { type: 'approval.required', data: { approval } },
  ];
  const { calls, client } = installation({ events });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Ada');
  drawn.press('enter');
  await drawn.shows('waiting_approval');
  drawn.press('enter');
  await drawn.shows('I make bob.');
  await drawn.shows('Approval needed (a approves, d denies): members.create {"username":"bob"}');
  t.ok(drawn.lines.length <= drawn.size.rows);
  t.notMatch(drawn.frame, '\u001B[2J');
  drawn.press('d', 'x');
  await drawn.shows('Stop this work? (y/n)');
  t.ok(drawn.lines.length <= drawn.size.rows);
  drawn.press('n');
  await drawn.loses('Stop this work?');
  t.equal(calls.length, 1, 'nothing happens after a no');
  drawn.press('x', 'y');
  await drawn.becomes(() => calls.length > 1, 'done');
  t.same(calls, [{ decide: { id: 'a1', decision: 'deny', reason: '' } }, { cancel: { task_id: 't1' } }]);
});

t.test("without oversight another member's run shows no content, and is aborted after a question", async (t) => {
  const { calls, client } = installation();
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Grace');
  drawn.press('j', 'enter');
  await drawn.shows('member 9');
  t.notOk(drawn.offered.includes('a approve'), "another member's request cannot be approved");
  drawn.press('enter');
  await drawn.shows('oversight is off');
  drawn.press('esc', 'x');
  await drawn.shows('Stop the work of another member? (y/n)');
  drawn.press('y');
  await drawn.becomes(() => calls.length > 0, 'done');
  t.same(calls, [{ abort: { task_id: 't2' } }]);
});

t.test('a request must be seen to its end before it is approved, even if another member started it', async (t) => {
  const input = { command: `echo ${'-'.repeat(120)}; rm -rf all` };
  const { calls, client } = installation({ approvals: [{ ...approval, task_id: 't2', name: 'nodes.exec', input }] });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Grace');
  drawn.press('j', 'enter');
  await drawn.shows('member 9');
  drawn.press('a');
  await drawn.shows('rm -rf all"}? (y/n)');
  t.ok(drawn.lines.length <= drawn.size.rows);
  drawn.press('n', 'enter');
  await drawn.shows('oversight is off');
  await drawn.shows(/rm -rf all"}$/m);
  drawn.press('a');
  await drawn.becomes(() => calls.length > 0, 'done');
  t.same(calls, [{ decide: { id: 'a1', decision: 'approve', reason: '' } }]);
});

t.test('a request in a room names the room before it is approved', async (t) => {
  const { client } = installation({ approvals: [{ ...approval, task_id: 't2', session_id: 'r1', room_title: 'Launch' }] });
  const drawn = drawPanel(t, panel, { client });
  await drawn.shows('Grace');
  drawn.press('j', 'enter');
  await drawn.shows('member 9');
  drawn.press('a');
  await drawn.shows("everyone in the room 'Launch' (r1) will see the result. (y/n)");
});

t.test('members see their own work, and --readonly offers no changes', async (t) => {
  const drawn = drawPanel(t, panel, { ...installation(), me: { ...admin, role: 'member' }, readonly: true });
  await drawn.shows(/Ada .* asks for members\.create/);
  t.match(drawn.frame, /3 +Grace .* working *$/m);
  drawn.press('enter');
  await drawn.shows('Mode');
  await drawn.shows(/ you /);
  t.same(
    drawn.offered.filter((key) => /^[adx] /.test(key)),
    [],
  );
});

t.test('data that cannot be read is reported', async (t) => {
  const { client } = installation();
  const failing = { ...client, members: { list_virtual: () => Promise.reject(new Error('No way')) } };
  const drawn = drawPanel(t, panel, { client: failing });
  await drawn.shows(/No way/);
});
