import t, { type Test } from 'tap';
import type { Contact } from '../../extensions/chat/contract.js';
import { administrator } from '../extensions/chat/world.js';
import { becomes, clientOf, settingsOf } from '../extensions/nodes/world.js';
import { startDocker } from '../helpers/docker/engine.js';
import { becomes as turns } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { callerOf, ownExtension, startPlatform } from '../helpers/platform.js';
import { connect } from '../kernel/platform/http/socket/client.js';

const extensions = ['members', 'chat', 'agents', 'nodes'].map(ownExtension);

async function start(t: Test, settings: object = {}) {
  const platform = await startPlatform(t, { extensions, settings });
  const admin = administrator(platform);
  const { nodes } = clientOf(platform);
  const { id } = await admin.members.create_virtual({ name: 'Vic' });
  const contact = async (): Promise<Pick<Contact, 'presence' | 'node_status'>> => {
    const contacts = (await platform.kernel.invoke('contacts.list', {}, callerOf())).body as Contact[];
    const { presence, node_status } = contacts.find(({ member_id }) => member_id === id) as Contact;
    return { presence, node_status };
  };
  const { token } = (await platform.kernel.invoke('tokens.create', { name: 'a' }, callerOf())).body as { token: string };
  const socket = await connect(t, platform.url, { token });
  const told = () => socket.of('presence').findLast(({ data }) => data.member_id === id)?.data.status;
  await turns(t, told, 'online', 15_000);
  return { admin, nodes, id, contact, told };
}

t.test("an AI employee's presence follows its node at once", async (t) => {
  const { admin, nodes, id, contact, told } = await start(t);
  t.same(await contact(), { presence: 'online', node_status: null });
  const away = await nodes.register({ name: 'away', node_type: 'docker', host: 'unix:///nowhere/docker.sock' });
  await becomes({ nodes }, away.id, 'offline');
  await admin.members.update({ id, remote_node_id: away.id });
  t.same(await contact(), { presence: 'offline', node_status: 'offline' }, 'bound');
  await turns(t, told, 'offline', 1_000);
  await admin.members.update({ id, remote_node_id: null });
  t.same(await contact(), { presence: 'online', node_status: null }, 'released');
  await turns(t, told, 'online', 1_000);
  await admin.members.update({ id, remote_node_id: away.id });
  t.same((await contact()).presence, 'offline');
  await nodes.delete({ id: away.id, force: true });
  t.same(await contact(), { presence: 'online', node_status: null }, 'the node is deleted');
});

t.test(
  "an AI employee's presence follows draining and fallback nodes too",
  { skip: skipWithout('docker', 'registry'), timeout: 120_000 },
  async (t) => {
    const engine = await startDocker(t);
    const { admin, nodes, id, contact, told } = await start(t, settingsOf(engine));
    const box = await nodes.create({ name: 'box', respond_async: false });
    await admin.members.update({ id, remote_node_id: box.id });
    t.same(await contact(), { presence: 'online', node_status: 'online' });
    await nodes.drain({ id: box.id, draining: true });
    t.same((await contact()).presence, 'offline', 'draining');
    await turns(t, told, 'offline', 1_000);
    await nodes.drain({ id: box.id, draining: false });
    t.same((await contact()).presence, 'online', 'the node is no longer draining');
    const away = await nodes.register({ name: 'away', node_type: 'docker', host: 'unix:///nowhere/docker.sock' });
    await admin.members.update({ id, remote_node_id: away.id });
    t.same((await contact()).presence, 'offline');
    await admin.agents.update({ member_id: id, fallback_node_ids: [box.id] });
    t.same((await contact()).presence, 'online', 'a fallback node is available');
    await admin.agents.update({ member_id: id, fallback_node_ids: [] });
    await admin.members.update({ id, remote_node_id: box.id });
    await engine.docker.getContainer(box.container_id ?? '').remove({ force: true, v: true });
    await becomes({ nodes }, box.id, 'error');
    t.same(await contact(), { presence: 'offline', node_status: 'error' }, 'the container of the node is gone');
  },
);
