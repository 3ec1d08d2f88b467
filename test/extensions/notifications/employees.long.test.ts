import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { callTools, say } from '../../helpers/model-server.js';
import { openApprovals } from '../agents/world.js';
import { administrator, onEachPlatform, replyTo, someone } from '../chat/world.js';

t.test('an AI employee must ask before it notifies, because notifications leave the platform', async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const ada = await someone(t, platform);
    const { id: target_id } = await administrator(platform).members.create_virtual({ name: 'Vic', mode: 'autonomous' });
    model.script(callTools([{ name: 'notifications_send', arguments: { title: 'Act now' } }]), say('I see.'));
    const sent = await ada.http.chat.send({ content: 'Go', target_id });
    const [approval] = await openApprovals(ada.http, sent);
    t.match(approval, { name: 'notifications.send', effect: 'dangerous', input: { title: 'Act now' } });
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'deny', reason: '' });
    const { tool_calls } = await until(
      () => replyTo(ada.http, sent),
      ({ status }) => status === 'completed',
    );
    t.match(tool_calls, [{ name: 'notifications.send', output: null, error: /denied this/ }]);
  });
});
