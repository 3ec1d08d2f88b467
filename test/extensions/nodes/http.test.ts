import t from 'tap';
import { makeAuthority } from '../../helpers/docker/certificates.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, temporaryFolder } from '../../helpers/platform.js';
import { rowsOf } from '../agents/employment.js';
import { becomes, clientOf, startOn } from './world.js';

const away = { url: 'unix:///nowhere/docker.sock' };

t.test('a client with `Prefer: respond-async` is answered at once', async (t) => {
  const { url } = await startOn(t, away);
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } });
  const { access_token } = (await (await post('/api/auth/login', { username: 'admin', password: adminPassword })).json()) as {
    access_token: string;
  };
  const create = (name: string, prefer: string, rest: object = {}) =>
    post('/api/remote-nodes/docker', { name, ...rest }, { authorization: `Bearer ${access_token}`, prefer });
  for (const [index, prefer] of [
    'respond-async',
    'Respond-Async',
    'wait=10, respond-async',
    'respond-async; x=y, return=minimal',
  ].entries()) {
    const answer = await create(`box ${index}`, prefer);
    t.equal(answer.status, 202, prefer);
    t.match(await answer.json(), { status: 'creating', name: `box ${index}` });
  }
  for (const prefer of ['', 'return=minimal', 'respond-asynchronously', 'not-respond-async']) {
    const answer = await create('waits', prefer);
    t.equal(answer.status, 503, `'${prefer}'`);
    t.match(await answer.json(), { code: 'engine_unavailable', statusCode: 503 });
  }
  t.equal((await create('body', '', { respond_async: true })).status, 202, 'the body can request it too');
  const spec = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, { parameters: { name: string; in: string }[] }>>;
  };
  t.match(spec.paths['/api/remote-nodes/docker']?.post?.parameters, [
    { name: 'Idempotency-Key', in: 'header' },
    { name: 'Prefer', in: 'header' },
  ]);
});

t.test('a name is one line without invisible control characters', async (t) => {
  const admin = clientOf(await startOn(t, away));
  for (const name of ['a\nb', 'a\u001b[2Jb', 'a\u202eb', 'a\u2028b', ' '])
    await t.rejects(
      admin.nodes.register({ name, node_type: 'docker' }),
      { code: 'invalid_input', details: [{ path: 'name' }] },
      encodeURIComponent(name),
    );
  t.match(await admin.nodes.register({ name: ' ماشین ۱ 👩‍💻 ', node_type: 'docker' }), { name: 'ماشین ۱ 👩‍💻' });
});

t.test("an engine's secrets are accepted and never shown or logged", { skip: skipWithout('docker') }, async (t) => {
  const platform = await startOn(t, away);
  const admin = clientOf(platform);
  const authority = await makeAuthority(await temporaryFolder(t));
  const { cert, key } = await authority.sign('client');
  const tls = { ca: authority.ca, cert, key };
  const near = await admin.nodes.register({ name: 'near', node_type: 'docker', host: 'tcp://127.0.0.1:1', config: { tls } });
  t.same(near.config.tls, { ca: true, cert: true, key: true });
  const host_key = `SHA256:${'A'.repeat(43)}`;
  const ssh = { host_key, private_key: 'no key at all', passphrase: 'hush-one', password: 'hush-two' };
  const far = { name: 'far', node_type: 'docker', host: 'ssh://root@127.0.0.1:1', config: { ssh } } as const;
  const { id, config: shown } = await admin.nodes.register(far);
  t.same(shown.ssh, { host_key, has_private_key: true, has_password: true });
  t.match(await becomes(admin, id, 'error'), { reason_code: 'ssh_auth_failed' }, 'an invalid key is not retried');

  const changed = await admin.nodes.update({ id, config: { ssh: { host_key, private_key: '', passphrase: '' } } });
  t.same(changed.config.ssh, { host_key, has_private_key: false, has_password: true }, 'empty values are removed, and the rest stays');
  t.equal(changed.status, 'creating', 'the creation is tried again');
  const refused = (config: object, path: string) =>
    t.rejects(admin.nodes.update({ id, config }), { code: 'invalid_input', details: [{ path }] });
  await refused({ ssh: { host_key: 'nonsense' } }, 'config.ssh.host_key');
  await refused({ ssh: { host_key, password: '' } }, 'config.ssh');
  await refused({ tls }, 'config.tls');
  await becomes(admin, id, 'offline');

  const answers = [await admin.nodes.get({ id }), await admin.nodes.list({ limit: 10, offset: 0 }), platform.lines];
  const rows = await rowsOf(t, platform);
  t.equal(rows.get('nodes_nodes')?.length, 2);
  t.ok((rows.get('kernel_audit')?.length ?? 0) >= 3);
  const texts = JSON.stringify([answers, ...rows]);
  for (const secret of ['hush-one', 'hush-two', 'no key at all', key.split('\n')[1] ?? '', 'PRIVATE KEY'])
    t.notOk(texts.includes(secret), `'${secret.slice(0, 20)}' is in no output`);
});
