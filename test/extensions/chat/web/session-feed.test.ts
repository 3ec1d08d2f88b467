import t from 'tap';
import { importWeb } from '../../../helpers/web.js';

interface Feed {
  takeTask(task: object): void;
  setTasks(tasks: readonly object[]): void;
  takeApproval(approval: object, isOpen: boolean): void;
  setApprovals(approvals: readonly object[]): void;
  state(): { tasks: readonly object[]; approvals: readonly object[] };
}

async function open(): Promise<Feed> {
  const { SessionFeed } = await importWeb<{ SessionFeed: new (options: object) => Feed }>('../extensions/chat/web/session-feed.ts');
  return new SessionFeed({ me: 1, open: () => [] });
}

t.test('a list that was read before a task ended does not bring it back', async (t) => {
  const feed = await open();
  const running = { id: 'task', requested_by: 1, status: 'running' };
  feed.takeTask(running);
  t.same(feed.state().tasks, [running]);
  feed.takeTask({ ...running, status: 'completed' });
  feed.setTasks([running]);
  t.same(feed.state().tasks, []);
});

t.test('a list that was read before a decision does not ask again', async (t) => {
  const feed = await open();
  const approval = { id: 'approval', input: {} };
  feed.takeApproval(approval, true);
  t.same(feed.state().approvals, [approval]);
  feed.takeApproval(approval, false);
  feed.setApprovals([approval]);
  t.same(feed.state().approvals, []);
});
