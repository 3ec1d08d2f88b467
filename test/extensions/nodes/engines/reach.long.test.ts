import { once } from 'node:events';
import type Docker from 'dockerode';
import t, { type Test } from 'tap';
import type { EngineAddress } from '../../../../extensions/nodes/engines/address.js';
import { Engines } from '../../../../extensions/nodes/engines/engines.js';
import { explain, statusOf } from '../../../../extensions/nodes/engines/failures.js';
import type { Failure } from '../../../../kernel/contract/index.js';
import { makeAuthority } from '../../../helpers/docker/certificates.js';
import { images, startDocker } from '../../../helpers/docker/engine.js';
import { startSshd } from '../../../helpers/docker/sshd.js';
import { until } from '../../../helpers/eventually.js';
import { skipWithout } from '../../../helpers/parts.js';
import { temporaryFolder } from '../../../helpers/platform.js';

const local: EngineAddress = { host: '', host_key: '', secrets: {} };

t.test('an engine works alike by every kind of connection', { skip: skipWithout('docker', 'registry', 'ssh') }, async (t) => {
  const engine = await startDocker(t, 'tcp');

  await t.test('an engine is reached by the socket of the settings', async (t) => {
    await works(t, openEngines(t, engine.url), local);
  });

  await t.test('an engine is reached by tcp', async (t) => {
    await works(t, openEngines(t), { ...local, host: `tcp://${engine.address}:2375` });
  });

  await t.test('an engine is reached by ssh', async (t) => {
    const sshd = await startSshd(t);
    const engines = openEngines(t);
    const ssh = { private_key: sshd.private_key };
    const address = { host: `${sshd.url}${engine.socket}`, host_key: sshd.host_key, secrets: { ssh } };
    await works(t, engines, address);
    await works(t, engines, { ...address, host_key: sshd.fingerprint });

    t.match(await fault(engines, { ...address, host_key: `SHA256:${'a'.repeat(43)}` }), {
      code: 'ssh_host_key_mismatch',
      status: 502,
      message: new RegExp(`shows the key ${sshd.fingerprint.replaceAll('+', '\\+')} \\(ssh-ed25519\\)`),
    });
    t.match(await fault(engines, { ...address, secrets: { ssh: { password: 'wrong' } } }), { code: 'ssh_auth_failed', status: 502 });
    t.match(await fault(engines, { ...address, secrets: { ssh: { private_key: 'no key' } } }), { code: 'ssh_auth_failed' });
    t.match(await fault(engines, { ...address, host: `${sshd.url}/nowhere.sock` }), {
      code: 'engine_unavailable',
      message: /nowhere\.sock/,
    });

    const docker = await engines.at(address);
    const container = await docker.createContainer({ Image: images.busybox, Cmd: ['sleep', '1000'] });
    await container.start();
    const exec = await container.exec({ Cmd: ['sleep', '1000'], AttachStdout: true });
    const stream = await exec.start({ hijack: true, stdin: false });
    const cut = t.rejects(once(stream.resume(), 'end'), { code: 'ssh_unreachable' }, 'readers learn that the connection is lost');
    await sshd.stop();
    await cut;
    await engine.docker.getContainer(container.id).remove({ force: true });
    t.match(await fault(engines, address), { code: 'engine_unavailable' }, 'the host is unreachable');
    await sshd.start();
    await until(
      () =>
        docker.ping().then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    t.pass('the same client works once the host is back');

    await sshd.changeKey();
    t.match(await fault(engines, address), { code: 'ssh_host_key_mismatch' }, 'the host has another key now');
  });

  await t.test('an engine is reached by tcp with certificates on both sides', async (t) => {
    await engine.stop();
    await engine.start('tls');
    const engines = openEngines(t);
    const host = `tcp://${engine.address}:2376`;
    const { ca } = engine.authority;
    const { cert, key } = await engine.client();
    await works(t, engines, { ...local, host, secrets: { tls: { ca, cert, key } } });
    await works(t, engines, { ...local, host: host.replace('tcp:', 'https:'), secrets: { tls: { ca, cert, key } } });

    const other = await makeAuthority(await temporaryFolder(t));
    const foreign = await other.sign('client');
    const refused = async (tls: NonNullable<EngineAddress['secrets']['tls']>) => fault(engines, { ...local, host, secrets: { tls } });
    t.match(
      await refused({ ca: other.ca, cert, key }),
      { code: 'tls_untrusted', status: 502 },
      'a certificate of another authority is rejected',
    );
    t.match(await refused({ cert, key }), { code: 'tls_untrusted' }, "Node's default authorities do not accept it");
    t.match(
      await refused({ ca }),
      { code: 'tls_untrusted', message: /does not accept the platform's certificate/ },
      'no certificate of ours',
    );
    t.match(await refused({ ca, ...foreign }), { code: 'tls_untrusted' }, 'a client certificate of another authority is rejected');
    t.match(
      await refused({ ca, cert, key: foreign.key }),
      { code: 'invalid_input' },
      'a key that does not match the certificate is rejected',
    );
  });

  await t.test('the same client reconnects to an engine', async (t) => {
    const engines = openEngines(t, engine.url);
    const docker = await engines.at(local);
    await docker.ping();
    await engine.stop();
    t.match(await fault(engines, local), { code: 'engine_unavailable', status: 503 });
    await engine.start('none');
    t.equal((await docker.ping()).toString(), 'OK');
  });
});

function openEngines(t: Test, url = ''): Engines {
  const engines = new Engines({ local: url });
  t.teardown(() => engines.dispose());
  return engines;
}

/** Pull, create, start, run, read, refuse, remove: one of each kind of request that there is. */
async function works(t: Test, engines: Engines, address: EngineAddress): Promise<void> {
  const docker = await engines.at(address);
  t.equal(await engines.at({ ...address }), docker, 'equal addresses share one client');
  t.equal((await docker.ping()).toString(), 'OK');
  await pull(docker, images.busybox);
  const container = await docker.createContainer({ Image: images.busybox, Cmd: ['sleep', '1000'] });
  try {
    await container.start();
    t.strictSame(await run(docker, container, ['sh', '-c', 'echo out; echo err >&2; exit 3']), {
      stdout: 'out\n',
      stderr: 'err\n',
      code: 3,
    });
    const large = await run(docker, container, ['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" x']);
    t.equal(large.stdout.length, 3_000_000);
    t.strictSame(await run(docker, container, ['cat'], 'given'), { stdout: 'given', stderr: '', code: 0 });
    t.equal((await container.inspect()).State.Running, true);
    t.equal(
      statusOf(
        await docker
          .getContainer('none')
          .inspect()
          .catch((thrown: unknown) => thrown),
      ),
      404,
    );
  } finally {
    await container.remove({ force: true });
  }
  t.equal(statusOf(await container.inspect().catch((thrown: unknown) => thrown)), 404);
}

async function pull(docker: Docker, image: string): Promise<void> {
  const progress = await docker.pull(image);
  await new Promise((resolve, reject) => docker.modem.followProgress(progress, (fault, steps) => (fault ? reject(fault) : resolve(steps))));
}

async function run(docker: Docker, container: Docker.Container, Cmd: string[], input?: string) {
  const exec = await container.exec({ Cmd, AttachStdout: true, AttachStderr: true, AttachStdin: input !== undefined });
  const stream = await exec.start({ hijack: true, stdin: input !== undefined });
  const said = { stdout: '', stderr: '' };
  const into = (name: keyof typeof said) =>
    ({ write: (bytes: Buffer) => (said[name] += bytes.toString()) }) as unknown as NodeJS.WritableStream;
  docker.modem.demuxStream(stream, into('stdout'), into('stderr'));
  if (input !== undefined) stream.end(input);
  await new Promise((resolve, reject) => stream.once('end', resolve).once('error', reject));
  return { ...said, code: (await exec.inspect()).ExitCode };
}

async function fault(engines: Engines, address: EngineAddress): Promise<Failure> {
  try {
    await (await engines.at(address)).ping();
  } catch (thrown) {
    return explain(thrown, address.host);
  }
  throw new Error('the engine answered');
}
