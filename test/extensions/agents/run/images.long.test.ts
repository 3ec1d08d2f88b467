import t from 'tap';
import { callTools, say } from '../../../helpers/model-server.js';
import { dataUrl, png } from '../../chat/pictures.js';
import { collect, replyTo } from '../../chat/world.js';
import { bring, onOneAndTwo, openApprovals, pair, tool } from '../world.js';

t.test("each request of a run includes the conversation's images, also after an approval", async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [platform] }) => {
    bring([tool('look', () => ({ output: 'Looked' }))]);
    const { ada, target_id } = await pair(t, platform, 'supervised');
    const image = dataUrl(png(3, 4, ada.id));
    model.script(callTools([{ name: 'look' }]), say('Seen.'));
    const sent = await ada.http.chat.send({ content: 'What is it?', images: [image], target_id });
    const [approval] = await openApprovals(ada.http, sent);
    await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
    await collect(ada.http.messages.stream({ message_id: sent.message_id }));
    t.match(await replyTo(ada.http, sent), { status: 'completed', content: /Seen/ });
    const seen = {
      role: 'user',
      content: [
        { type: 'text', text: 'What is it?' },
        { type: 'image_url', image_url: { url: image } },
      ],
    };
    t.match(
      model.exchanges.map(({ body }) => body.messages?.find(({ role }) => role === 'user')),
      [seen, seen],
    );
  });
});
