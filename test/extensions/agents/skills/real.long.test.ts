import t from 'tap';
import { startDocker } from '../../../helpers/docker/engine.js';
import { callTools, type Exchange, say } from '../../../helpers/model-server.js';
import { skipWithout } from '../../../helpers/parts.js';
import { fixture, ownExtension } from '../../../helpers/platform.js';
import { someone, withModel } from '../../chat/world.js';
import { clientOf, becomes as nodeBecomes, startOn } from '../../nodes/world.js';
import { onNode } from '../nodes/world.js';
import { ask } from '../world.js';
import { install, reports, skillZip, tidied } from './world.js';

/** Returns the output of the last tool call as the model got it. */
const toldLast = ({ body }: Exchange) => String(body.messages.findLast(({ role }) => role === 'tool')?.content);

t.test('an AI employee uses a skill and runs its script on a real node', { skip: skipWithout('docker', 'registry') }, async (t) => {
  const engine = await startDocker(t);
  const { model, options } = await withModel(t);
  const extensions = [...['members', 'chat', 'agents', 'nodes'].map(ownExtension), fixture('market')];
  const platform = await startOn(t, engine, { ...options, extensions });
  tidied(t, platform);
  const { nodes } = clientOf(platform);
  const { id } = await nodes.register({ name: 'Workshop', node_type: 'docker' });
  const target_id = await onNode(platform, id);
  const { id: ada_id, direct: ada } = await someone(t, platform);
  await install(platform, skillZip('acme.reports', reports));
  await nodeBecomes(clientOf(platform), id, 'online', 60_000);

  const use = callTools([{ name: 'use_skill', arguments: { name: 'table-reports' } }]);
  const folder = `/workspace/m${ada_id}/e${target_id}/.skills/acme.reports/`;
  let at = '';
  model.script(
    use,
    async (exchange) => {
      at = /they are in `(.+?)`/.exec(toldLast(exchange))?.[1] ?? '';
      const read = { name: 'read_skill_file', arguments: { skill: 'table-reports', path: 'references/RULES.md' } };
      const shell = { name: 'shell', arguments: { command: `cd ${at} && scripts/sum.sh assets/sample.csv; id -u` }, id: 'shell' };
      await callTools([read, shell])(exchange);
    },
    (exchange) => say(`It is done: ${toldLast(exchange)}`)(exchange),
  );
  const { reply } = await ask(ada, { content: 'The sum of the sample, please', target_id });
  t.match(
    model.exchanges[0]?.body.messages[0]?.content,
    /<skill name="table-reports">Makes reports of tables\./,
    'the model sees the skill',
  );
  t.ok(at.startsWith(folder), at);
  t.match(reply.tool_calls, [
    { name: 'use_skill', error: null, output: /# Table reports/ },
    { name: 'read_skill_file', error: null, output: /Sums have no decimals/ },
    { name: 'shell', error: null, output: `Sum: 42\n${100_000 + ada_id}\n` },
  ]);
  t.equal(reply.content, `It is done: Sum: 42\n${100_000 + ada_id}\n`, "the reply contains the script's output");

  model.script(
    async (exchange) => {
      await engine.stop();
      await use(exchange);
    },
    callTools([{ name: 'shell', arguments: { command: `${at}/scripts/sum.sh` } }]),
    say('It is away.'),
  );
  const { reply: away } = await ask(ada, { content: 'Again', target_id });
  t.match(away, { status: 'completed', content: 'It is away.' });
  const offline = /The node 'Workshop' is offline; administrators can see why \(node_offline\)$/;
  t.match(away.tool_calls, [
    { name: 'use_skill', output: /# Table reports/, error: /^The files of the skill 'table-reports' are not on your work node/ },
    { name: 'shell', error: offline },
  ]);
  t.match(away.tool_calls[0]?.error, offline);
});
