import t, { type Test } from 'tap';
import type { NodesApi } from '../../../../extensions/nodes/contract.js';
import { connect } from '../../../../kernel/client/connect.js';
import { direct } from '../../../../kernel/client/direct.js';
import { startDocker } from '../../../helpers/docker/engine.js';
import { until } from '../../../helpers/eventually.js';
import { callTools, say } from '../../../helpers/model-server.js';
import { skipWithout } from '../../../helpers/parts.js';
import { ownExtension, startPlatform, type TestPlatform } from '../../../helpers/platform.js';
import { ask } from '../../agents/world.js';
import { administrator, collect, type Someone, someone, withModel } from '../../chat/world.js';
import { settingsOf } from '../world.js';

const skip = skipWithout('docker', 'registry');

const extensions = ['members', 'chat', 'agents', 'nodes'].map(ownExtension);

interface World {
  platform: TestPlatform;
  nodes: ReturnType<typeof connect<NodesApi>>['nodes'];
  /** Works on its own, on a node that everybody may use. */
  target_id: number;
  node_id: number;
  ada: Someone;
  /** The programs that the container runs, but for those that keep it. */
  programs: () => Promise<string[]>;
}

async function start(t: Test, settings: object = {}): Promise<World> {
  const engine = await startDocker(t);
  const platform = await startPlatform(t, { extensions, settings: { ...settingsOf(engine), ...settings } });
  const admin = administrator(platform);
  const { nodes } = connect<NodesApi>(platform.kernel.operations(), direct(platform.kernel));
  const { id: node_id, container_id } = await nodes.create({ name: 'box', respond_async: false });
  const { id: target_id } = await admin.members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  await admin.members.update({ id: target_id, remote_node_id: node_id });
  await admin.agents.update({ member_id: target_id, node_users: 'all' });
  const programs = async () => {
    const { Processes } = (await engine.docker.getContainer(container_id ?? '').top()) as { Processes: string[][] };
    return Processes.map((each) => each.at(-1) ?? '').filter((program) => !/docker-init|sleep 2147483647/.test(program));
  };
  return { platform, nodes, target_id, node_id, ada: await someone(t, platform), programs };
}

t.test('without a model an AI employee runs commands on its node', { skip }, async (t) => {
  const { platform, target_id, node_id, ada, programs, nodes } = await start(t);
  const say_to = (content: string, client = ada.http) => ask(client, { content, target_id });

  await t.test('/run streams the output of the command', async (t) => {
    const { reply, events } = await say_to('/run echo one; sleep 1; echo two >&2; pwd');
    t.match(reply.content, new RegExp(`one\ntwo\n/workspace/m${ada.id}/e${target_id}`));
    const shown = events.filter(({ type }) => type === 'tool.output').map(({ data }) => (data as { delta: string }).delta);
    t.equal(shown[0], 'one\n');
    t.match(shown.join(''), /^one\ntwo\n/, 'the output is in order');
    t.match((await say_to('/run exit 7')).reply.content, /`shell` failed: The command ended with exit code 7/);
    t.match((await say_to('/run')).reply.content, /which command/);
    t.match((await say_to('/help')).reply.content, /`\/run <command>`: Runs a command/);
    t.match((await say_to('/tools')).reply.content, /`shell`.*`read_file`.*`write_file`.*`list_files`/s);
  });

  await t.test('files are written, listed and read', async (t) => {
    const call = async (tool: string, input: object) => (await say_to(`/call ${tool} ${JSON.stringify(input)}`)).reply.content;
    t.match(await call('write_file', { path: 'notes/a.txt', content: 'first\nsecond\n' }), /13 bytes/);
    t.match(await call('list_files', { depth: 2 }), /notes\/\nnotes\/a\.txt\t13/);
    t.match(await call('read_file', { path: 'notes/a.txt', offset: 2 }), /^second/);
    t.match(await call('read_file', { path: 'nothing' }), /'nothing' does not exist \(path_not_found\)/);
    t.match(await call('read_file', { path: 7 }), /"path" must be a text \(invalid_input\)/);
    t.match(await call('list_files', { depth: 9 }), /"depth" must be a whole number from 1 to 3/);
    t.match(await call('shell', { command: 'sleep 751', timeout_s: 1 }), /did not finish within 1 s and was killed/);
    t.match(await call('shell', { command: 'a\0b' }), /must not contain NUL/);
    t.match(await call('shell', { command: 'pwd', cwd: 'notes' }), /e\d+\/notes/);
    t.match(await call('shell', { command: 'pwd', cwd: 'absent' }), /"cwd" must be an accessible folder/);
    t.match(await call('shell', { command: 'printf "a\\0b"' }), /a\ufffdb/);
  });

  await t.test('each member has its own folder', async (t) => {
    const bob = await someone(t, platform);
    t.match((await say_to('/run ls; id -u', bob.http)).reply.content, new RegExp(`\n${100_000 + bob.id}\n`));
    t.match((await say_to(`/run cat /workspace/m${ada.id}/e${target_id}/notes/a.txt`, bob.http)).reply.content, /Permission denied/);
  });

  await t.test('an abort ends the command with its processes', async (t) => {
    const sent = await ada.http.chat.send({ content: '/run setsid sleep 761 & sleep 762', target_id });
    const reading = collect(ada.http.messages.stream({ message_id: sent.message_id }));
    await until(programs, (found) => found.includes('sleep 761') && found.includes('sleep 762'));
    const started = Date.now();
    await ada.http.chat.abort({ message_id: sent.message_id });
    t.same(await until(programs, (found) => found.length === 0), []);
    t.ok(Date.now() - started < 10_000, `${Date.now() - started} ms`);
    await reading;
  });

  await t.test('a missing grant, and a missing node, are reported in a sentence', async (t) => {
    await administrator(platform).agents.update({ member_id: target_id, node_users: 'admins' });
    const { reply } = await say_to('/run ls');
    t.notMatch(reply.content, /notes/);
    t.match(reply.content, /administrator/i);
    await administrator(platform).agents.update({ member_id: target_id, node_users: 'all' });
    await nodes.delete({ id: node_id, force: false });
    t.match((await say_to('/run ls')).reply.content, /node/);
  });
});

t.test("a model uses the node's tools", { skip }, async (t) => {
  const { model, options } = await withModel(t);
  const { ada, target_id } = await start(t, options.settings);
  model.script(
    callTools([{ name: 'shell', arguments: { command: 'echo hello > greeting; mkdir work; ls' } }], 'I look.'),
    callTools([
      { name: 'read_file', arguments: { path: 'greeting' } },
      { name: 'list_files', arguments: {} },
    ]),
    say('There is a greeting.'),
  );
  const { reply } = await ask(ada.http, { content: 'What is in your workspace?', target_id });
  t.match(reply.content, /There is a greeting\.$/);
  const offered = model.exchanges[0]?.body.tools?.map(({ function: { name } }) => name) ?? [];
  for (const name of ['shell', 'read_file', 'write_file', 'list_files']) t.ok(offered.includes(name), name);
  const told = (model.exchanges.at(-1)?.body.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content);
  t.same(told, ['greeting\nwork\n', 'hello\n', 'greeting\t6\nwork/']);
});
