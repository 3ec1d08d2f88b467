import t from 'tap';
import type { Message, Task } from '../../../../extensions/chat/contract.js';
import type { Ports } from '../../../../extensions/chat/ports.js';
import { Outcomes, type ReplyOutcome } from '../../../../extensions/chat/replies/outcome.js';
import type { Job } from '../../../../extensions/chat/store/tasks-sql.js';

const task = { id: 'task', session_id: 's', reply_id: 'reply', requested_by: 1, status: 'running', reason: null } as Task;
const job = { task, member_name: 'Vic' } as Job;
const message = { id: 'reply', content: 'Done.' } as Message;
const progress = { content: 'Done.', tool_calls: '[]', seq: 3, usage: null } as never;
const completed: ReplyOutcome = { task: 'completed', message: 'completed', reason: null, error: null, joins: 0 };
const failed: ReplyOutcome = { task: 'failed', message: 'failed', reason: 'model_error', error: { code: 'model_error', message: 'No' } };

/** Outcomes of which the database holds that the task has ended in some way already. */
function after(stored: Partial<Task>): Outcomes {
  const ports = {
    owner: () => 'me',
    clock: { now: () => 0, iso: () => 'now' },
    db: { transaction: (work: () => unknown) => work() },
    tasks: { finish: async () => new Map(), find: async () => ({ ...job, task: { ...task, ...stored } }) },
    messages: { find: async () => ({ message }) },
    sessions: { lock: async () => undefined },
  };
  return new Outcomes(ports as unknown as Ports);
}

t.test('a retry publishes an outcome that was stored without a response', async (t) => {
  const ended = { task: { ...task, status: 'completed' }, message };
  t.same(await after({ status: 'completed' }).store({ job, outcome: completed, isAway: false, progress }), ended);
  const found = await after({ status: 'failed', reason: 'model_error' }).store({ job, outcome: failed, isAway: false, progress });
  t.same(found, { task: { ...task, status: 'failed', reason: 'model_error' }, message });
});

t.test('an outcome that another instance stored is not published', async (t) => {
  const interrupted = { status: 'failed', reason: 'interrupted' } as const;
  t.equal(await after(interrupted).store({ job, outcome: completed, isAway: false, progress }), 'lost');
  const own: ReplyOutcome = { ...failed, reason: 'interrupted' };
  t.equal(await after(interrupted).store({ job, outcome: own, isAway: false, progress }), 'lost');
});
