import t, { type Test } from 'tap';
import type { Node } from '../../extensions/nodes/contract.js';
import type { StreamEvent } from '../../kernel/contract/index.js';
import { ask } from '../extensions/agents/world.js';
import { administrator, someone } from '../extensions/chat/world.js';
import { clientOf, startWorld } from '../extensions/nodes/world.js';
import { busyboxTree, importImage } from '../helpers/docker/images.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { ownExtension } from '../helpers/platform.js';
import { type ImageCase, imageCases } from './images/cases.js';

const skip = skipWithout('docker', 'registry');
const extensions = ['members', 'chat', 'agents', 'nodes'].map(ownExtension);

async function outputOf(events: AsyncIterable<StreamEvent>): Promise<string> {
  let text = '';
  for await (const { type, data } of events) if (type === 'output') text += (data as { delta: string }).delta;
  return text;
}

t.test('published images of these forms can be pulled', { skip, timeout: 300_000 }, async (t) => {
  const { docker, platform } = await startWorld(t, { extensions });
  const nodes = clientOf(platform).nodes;
  const admin = administrator(platform);
  const { id: target_id } = await admin.members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  await admin.agents.update({ member_id: target_id, node_users: 'all' });
  const ada = await someone(t, platform);
  const wanted = new RegExp(process.env.CASE ?? '');

  const made = async (t: Test, { name, changes = [], refused, ...files }: ImageCase): Promise<Node | undefined> => {
    const image = `local/${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}:1`;
    const tree = await busyboxTree(files);
    await importImage(docker, { image, tree, changes });
    const creation = nodes.create({ name, config: { image }, respond_async: false });
    if (refused === undefined) return creation;
    await t.rejects(creation, { code: 'container_failed', message: refused });
    return undefined;
  };

  for (const one of imageCases.filter(({ name }) => wanted.test(name)))
    await t.test(one.name, async (t) => {
      const node = await made(t, one);
      if (!node) return;
      const { id } = node;
      const { exec = { says: /^0\n$/ } } = one;
      const command = exec.command ?? 'id -u';
      const asked = async () => outputOf(nodes.exec({ id, command: typeof command === 'string' ? command : [...command], timeout_s: 10 }));
      if ('fails' in exec) await t.rejects(asked(), { code: exec.code, message: exec.fails });
      else t.match(await asked(), exec.says);
      await admin.members.update({ id: target_id, remote_node_id: id });
      const { reply } = await ask(ada.http, { content: '/run id -u; pwd; touch x && ls', target_id });
      t.match(reply.content, one.employee ?? new RegExp(`^${100_000 + ada.id}\n/workspace/m${ada.id}/e${target_id}\nx\n`, 'm'));
      const [{ reason }, health] = [await nodes.get({ id }), await nodes.health({ id })];
      if (one.reason) t.match([reason, health], [one.reason, { status: 'unhealthy', reason: one.reason }]);
      else t.equal(reason, '');
      await nodes.delete({ id, force: false });
    });
  await until(
    async () => (await nodes.list({ limit: 1, offset: 0 })).total,
    (total) => total === 0,
  );
});
