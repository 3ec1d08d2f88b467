import t from 'tap';
import { becomes } from '../../helpers/eventually.js';
import { say, startModelServer } from '../../helpers/model-server.js';
import { fixture, ownExtension, startPlatform } from '../../helpers/platform.js';
import { node, onNode, turn } from '../agents/nodes/world.js';
import { administrator } from '../chat/world.js';
import { clientOf, history, scheduled } from './world.js';

const extensions = [...['members', 'chat', 'agents', 'schedules'].map(ownExtension), fixture('yard')];

t.test('planned work waits for its node within the limit of a run', async (t) => {
  const model = await startModelServer(t);
  model.script(say('Done.'));
  const settings = { 'agents.model.base_url': model.url, 'agents.model.name': 'test-model', 'agents.model.api_key': 'sk-test' };
  const platform = await startPlatform(t, { extensions, settings });
  const admin = clientOf(platform);
  const away = node('offline');
  const member_id = await onNode(platform, away);
  const short = await scheduled(admin, { action: 'tasks.run', params: { member_id, prompt: 'Work' }, timeout_s: 2 });
  await admin.schedules.run({ id: short.id });
  t.match(await history(admin, short, 1), [{ status: 'timeout', error_code: 'timeout', attempt: 1 }]);
  await becomes(t, () => administrator(platform).tasks.active(), []);
  t.equal(model.exchanges.length, 0);

  const long = await scheduled(admin, { action: 'tasks.run', params: { member_id, prompt: 'Work' }, timeout_s: 60 });
  await admin.schedules.run({ id: long.id });
  await turn(platform, away, 'online', { silent: true });
  t.match(await history(admin, long, 1), [{ status: 'success', result: 'Done.' }]);
  t.equal(model.exchanges.length, 1);
});
