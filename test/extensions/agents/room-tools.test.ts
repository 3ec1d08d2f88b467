import t from 'tap';
import type { Caller } from '../../../kernel/contract/index.js';
import { callTools, say } from '../../helpers/model-server.js';
import { administrator, collect, someone } from '../chat/world.js';
import { bring, onOneAndTwo, openApprovals, tool } from './world.js';

t.test('in a room, an approval that only the mode of the AI employee asks for gives a tool no further rights', async (t) => {
  await onOneAndTwo(t, async (t, { model, platforms: [platform] }) => {
    const ada = await someone(t, platform);
    const vic = await administrator(platform).members.create_virtual({ name: `Vic ${ada.name}`, post: '', mode: 'assistant' });
    const { id: session_id } = await ada.http.sessions.create({ title: '', target_type: 'room', target_id: '', member_ids: [vic.id] });
    const rooms: Caller['room'][] = [];
    const call = (_input: object, { asker }: { asker: Caller }) => {
      rooms.push(asker.room);
      return { output: 'Done' };
    };
    bring([tool('tidy', call, { effect: 'write', audience: 'members' }), tool('peek', call, { audience: 'caller' })]);
    for (const name of ['tidy', 'peek']) {
      model.script(callTools([{ name }]), say('Done'));
      const sent = await ada.http.chat.send({ session_id, content: `@${vic.username} ${name}` });
      const [approval] = await openApprovals(ada.http, sent);
      await ada.http.approvals.decide({ id: approval?.id as string, decision: 'approve', reason: '' });
      await collect(ada.http.messages.stream({ message_id: sent.message_id }));
    }
    t.match(rooms, [
      { session_id, approved: false },
      { session_id, approved: true },
    ]);
  });
});
