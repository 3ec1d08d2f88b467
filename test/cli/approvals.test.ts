import t from 'tap';
import { Approvals, type ApprovalsOptions } from '../../cli/approvals.js';
import { until } from '../helpers/eventually.js';

interface Called {
  id: string;
  input: object;
}

/** Approvals that a person answers with yes; the stream has the given input. */
function asked(input: unknown, room_title: string | null = null) {
  const said: string[] = [];
  const called: Called[] = [];
  const call = async ({ id, input: given }: Called) => {
    called.push({ id, input: given });
    return { body: { id: 'a', name: 'messages.search', input: { q: 'harbour' } } };
  };
  const options = { session: { transport: { call } }, say: (line: string) => said.push(line), ask: async () => 'y' };
  const approvals = new Approvals(options as unknown as ApprovalsOptions);
  const approval = { id: 'a', name: 'messages.search', input, status: 'pending', decided_by_name: null, session_id: 's', room_title };
  approvals.take({ type: 'approval.required', data: { approval } });
  return { said, called };
}

const decision: Called = { id: 'approvals.decide', input: { id: 'a', decision: 'approve' } };
const question = 'Approval needed: \'messages.search\' with {"q":"harbour"}';

t.test('a person sees what to approve', async (t) => {
  const { said, called } = asked({ q: 'harbour' });
  await until(() => called.length, Boolean);
  t.same(said, [question]);
  t.same(called, [decision]);
});

t.test('in a room, where the stream hides it, the asker sees it all the same, and which room will see the result', async (t) => {
  const { said, called } = asked(null, 'Jam');
  await until(
    () => called.length,
    (count) => count === 2,
  );
  t.same(said, [question, "It uses your rights, and everyone in the room 'Jam' (s) will see the result."]);
  t.same(called, [{ id: 'approvals.get', input: { id: 'a' } }, decision]);
});
