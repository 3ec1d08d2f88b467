import t from 'tap';
import { callerOf, fixture, startPlatform } from '../../../helpers/platform.js';

t.test('on a single writer, work that a person waits for is written first', async (t) => {
  const { kernel } = await startPlatform(t, { listen: false, extensions: [fixture('ledger'), fixture('ledger-watch')] });
  const doors = { first: 'schedule', 'a schedule': 'schedule', 'a tool': 'tool', 'a person': 'http' } as const;
  const add = ([text, door]: [string, (typeof doors)[keyof typeof doors]]) =>
    kernel.invoke('ledger.add', { text, fail: false }, callerOf({ door }));
  await Promise.all((Object.entries(doors) as Parameters<typeof add>[0][]).map(add));
  const { body } = await kernel.invoke('ledger.list', {}, callerOf());
  t.same(body, { texts: ['first', 'a person', 'a schedule', 'a tool'] });
});
