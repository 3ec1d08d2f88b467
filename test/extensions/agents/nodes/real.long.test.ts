import t from 'tap';
import { startDocker } from '../../../helpers/docker/engine.js';
import { becomes } from '../../../helpers/eventually.js';
import { callTools, say, startModelServer } from '../../../helpers/model-server.js';
import { skipWithout } from '../../../helpers/parts.js';
import { ownExtension } from '../../../helpers/platform.js';
import { administrator, collect, someone } from '../../chat/world.js';
import { clientOf, becomes as nodeBecomes, startOn } from '../../nodes/world.js';
import { agentsOf } from '../employment.js';
import { ask } from '../world.js';
import { onNode, statesIn, taskOf } from './world.js';

t.test('a real node goes offline, is drained, and is deleted', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  const model = await startModelServer(t);
  const extensions = ['members', 'chat', 'agents', 'nodes'].map(ownExtension);
  const settings = { 'agents.model.base_url': model.url, 'agents.model.name': 'test-model', 'agents.model.api_key': 'sk-test' };
  const platform = await startOn(t, engine, { extensions, settings });
  const { nodes } = clientOf(platform);
  const { members } = administrator(platform);
  const { id: ada_id, direct: ada } = await someone(t, platform);
  const nodeStatus = async () => (await ada.contacts.list({ offset: 0 })).find(({ member_id }) => member_id === target_id)?.node_status;
  model.script(say('Done.'));

  await engine.stop();
  const { id, status } = await nodes.register({ name: 'Workshop', node_type: 'docker' });
  t.equal(status, 'offline');
  const target_id = await onNode(platform, id);
  t.equal(await nodeStatus(), 'offline');
  const sent = await ada.chat.send({ content: 'Work', target_id });
  const reading = collect(ada.messages.stream({ message_id: sent.message_id }));
  t.match(await taskOf(ada, sent, { reason: 'node_offline' }), { status: 'queued', node_id: id });
  t.equal((await members.list_virtual({})).find((each) => each.id === target_id)?.status, 'offline');
  await engine.start();
  await nodeBecomes(clientOf(platform), id, 'online', 60_000);
  t.match(await taskOf(ada, sent, { status: 'completed' }), { node_id: id });
  t.same(statesIn(await reading), ['queued', 'queued node_offline', 'running', 'completed']);
  t.equal(await nodeStatus(), 'online');

  const shell = { name: 'shell', arguments: { command: 'id -u' } };
  const uses = async () => {
    model.script(callTools([shell]), say('Done.'));
    const { reply } = await ask(ada, { content: 'Who are you?', target_id });
    return reply.tool_calls.map(({ output, error }) => output?.trim() ?? error);
  };
  t.same(await uses(), [String(100_000 + ada_id)], 'the command runs as the asking member');
  await agentsOf(platform).update({ member_id: target_id, node_users: 'admins' });
  t.match(await uses(), [/^Unknown tool 'shell'/], "a member without a grant has none of the node's tools");
  await agentsOf(platform).update({ member_id: target_id, node_users: [ada_id] });

  model.script(say('Done.'));
  await nodes.drain({ id, draining: true });
  const later = await ada.chat.send({ content: 'Work', target_id });
  await taskOf(ada, later, { status: 'queued', reason: 'node_draining' });
  await nodes.drain({ id, draining: false });
  t.match(await taskOf(ada, later, { status: 'completed' }), { node_id: id, reason: null });

  model.script((exchange) => exchange.text('A little. '));
  const running = await ada.chat.send({ content: 'Talk', target_id });
  await taskOf(ada, running, { status: 'running' });
  await nodes.delete({ id, force: false });
  t.match(await taskOf(ada, running, { status: 'cancelled' }), { reason: 'node_deleted' });
  t.match(await members.get({ id: target_id }), { remote_node_id: null });
  await becomes(t, nodeStatus, null);
  await t.rejects(members.update({ id: target_id, remote_node_id: id }), { code: 'invalid_input', details: [{ path: 'remote_node_id' }] });
});
