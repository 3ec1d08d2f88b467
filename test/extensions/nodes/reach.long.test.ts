import t, { type Test } from 'tap';
import type { NewNodeConfig } from '../../../extensions/nodes/contract.js';
import type { StreamEvent } from '../../../kernel/contract/index.js';
import { makeAuthority } from '../../helpers/docker/certificates.js';
import { startDocker, type TestDocker } from '../../helpers/docker/engine.js';
import { startSshd } from '../../helpers/docker/sshd.js';
import { skipWithout } from '../../helpers/parts.js';
import { temporaryFolder } from '../../helpers/platform.js';
import { becomes, clientOf, leftOn, type NodesClient, startOn, walled } from './world.js';

const skip = skipWithout('docker', 'registry', 'ssh');

interface Place {
  engine: TestDocker;
  admin: NodesClient;
}

interface Reached {
  host: string;
  config?: NewNodeConfig;
}

/** A platform whose local engine is nowhere, so that what works was reached by the address of its node. */
async function startPlace(t: Test, listener: 'tcp' | 'tls'): Promise<Place> {
  const engine = await startDocker(t, listener);
  return { engine, admin: clientOf(await startOn(t, { url: 'unix:///nowhere/docker.sock' })) };
}

async function register(admin: NodesClient, name: string, { host, config = {} }: Reached): Promise<number> {
  return (await admin.nodes.register({ name, node_type: 'docker', host, config })).id;
}

/** Runs a command to its end. */
async function run(admin: NodesClient, id: number): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of admin.nodes.exec({ id, command: 'cat /proc/sys/kernel/hostname; exit 7', timeout_s: 20 })) events.push(event);
  return events;
}

/** A node that is made, walled in and worked in, and then removed with all that it had. */
async function serves(t: Test, { engine, admin }: Place, name: string, reached: Reached): Promise<void> {
  const id = await register(admin, name, reached);
  const { container_id, host } = await becomes(admin, id, 'online', 30_000);
  t.equal(host, reached.host);
  const container = engine.docker.getContainer(container_id ?? '');
  t.match(await container.inspect(), { State: { Running: true }, Config: { Labels: { 'platform.node': String(id) } } });
  await walled(admin, id);
  t.match(await run(admin, id), [
    { type: 'output', data: { stream: 'stdout', delta: `node-${id}\n` } },
    { type: 'exit', data: { exit_code: 7, timed_out: false } },
    { type: 'done' },
  ]);
  t.equal(await admin.nodes.delete({ id, force: false }), undefined);
  t.same(await leftOn(engine.docker), [], 'nothing of the node is left');
  await t.rejects(admin.nodes.get({ id }), { code: 'node_not_found' });
}

/** One that can't be reached as it is registered says why, and has nothing in the engine. */
async function refused(t: Test, { engine, admin }: Place, reached: Reached, code: string): Promise<number> {
  const before = await leftOn(engine.docker);
  const id = await register(admin, `refused by ${code}`, reached);
  t.match(await becomes(admin, id, 'error'), { reason_code: code, container_id: null });
  t.same(await leftOn(engine.docker), before, code);
  return id;
}

t.test('a node runs on an engine without encryption, by socket and tcp', { skip }, async (t) => {
  const place = await startPlace(t, 'tcp');
  await serves(t, place, 'by its socket', { host: place.engine.url });
  await serves(t, place, 'by tcp', { host: `tcp://${place.engine.address}:2375` });
});

t.test('a node runs on an engine with certificates on both sides', { skip }, async (t) => {
  const place = await startPlace(t, 'tls');
  const { engine, admin } = place;
  const host = `tcp://${engine.address}:2376`;
  const tls = { ca: engine.authority.ca, ...(await engine.client()) };
  await serves(t, place, 'by certificates', { host, config: { tls } });

  const other = await makeAuthority(await temporaryFolder(t));
  const id = await refused(t, place, { host, config: { tls: { ...tls, ca: other.ca } } }, 'tls_untrusted');
  await admin.nodes.update({ id, config: { tls: { ca: tls.ca } } });
  t.match(await becomes(admin, id, 'online'), { reason: '', reason_code: '' }, 'the node is created once the authority is correct');
  await walled(admin, id);
  await admin.nodes.update({ id, config: { tls: { ca: other.ca } } });
  await t.rejects(run(admin, id), { code: 'tls_untrusted', status: 502 }, 'the node is left alone if the authority is wrong');
  await admin.nodes.update({ id, config: { tls: { ca: tls.ca } } });
  t.equal(await admin.nodes.delete({ id, force: false }), undefined);
  t.same(await leftOn(engine.docker), []);
});

t.test('a node runs on an engine by ssh', { skip }, async (t) => {
  const place = await startPlace(t, 'tcp');
  const { engine, admin } = place;
  const sshd = await startSshd(t);
  const host = `${sshd.url}${engine.socket}`;
  const ssh = { host_key: sshd.host_key, private_key: sshd.private_key };
  await serves(t, place, 'by ssh', { host, config: { ssh } });

  const id = await register(admin, 'box', { host, config: { ssh } });
  await becomes(admin, id, 'online', 30_000);
  await walled(admin, id);
  const host_key = await sshd.changeKey();
  await t.rejects(run(admin, id), { code: 'ssh_host_key_mismatch', status: 502 }, 'the host presents another key');
  const other = await refused(t, place, { host, config: { ssh } }, 'ssh_host_key_mismatch');
  await admin.nodes.update({ id, config: { ssh: { host_key } } });
  await becomes(admin, id, 'online', 30_000);
  t.equal((await run(admin, id)).at(-1)?.type, 'done', 'the given host key is accepted');
  await admin.nodes.update({ id: other, config: { ssh: { host_key } } });
  await becomes(admin, other, 'online', 30_000);
  await walled(admin, other);
  for (const each of [id, other]) t.equal(await admin.nodes.delete({ id: each, force: false }), undefined);
  t.same(await leftOn(engine.docker), []);
});
