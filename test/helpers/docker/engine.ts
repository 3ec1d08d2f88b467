import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, open, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import type { Test } from 'tap';
import { type Authority, type Certificate, makeAuthority } from './certificates.js';
import { pushImages, registry } from './images.js';
import { Namespace } from './namespace.js';

export { images } from './images.js';

/** Where an engine listens beside its socket: nowhere else, in the clear, or with certificates on both sides. */
export type Listener = 'none' | 'tcp' | 'tls';

const start_ms = 60_000;
const stop_ms = 20_000;

/**
 * A container engine of a test's own, with a registry that holds {@link images}; nothing of it is left after the
 * test. Skip the test by `skipWithout('docker', 'registry')`.
 */
export async function startDocker(t: Pick<Test, 'teardown'>, listener: Listener = 'none'): Promise<TestDocker> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-docker-'));
  const cgroup = `platform-test-${randomBytes(6).toString('hex')}`;
  const namespace = await Namespace.open(folder, cgroup);
  t.teardown(() => namespace.close());
  const engine = new TestDocker({ folder, cgroup, namespace, authority: await makeAuthority(folder) });
  await engine.start(listener);
  await engine.startRegistry();
  await pushImages(engine.docker);
  return engine;
}

interface Parts {
  folder: string;
  cgroup: string;
  namespace: Namespace;
  authority: Authority;
}

export class TestDocker {
  /** A client that knows nothing of the platform's. */
  readonly docker: Docker;
  /** The path of its socket. */
  readonly socket: string;
  /** The address by which tests reach its host. */
  readonly address: string;
  /** The address by which its host reaches this machine. */
  readonly gateway: string;
  readonly authority: Authority;
  readonly #parts: Parts;
  #process: ChildProcess | undefined;
  #listener: Listener = 'none';

  constructor(parts: Parts) {
    this.#parts = parts;
    this.authority = parts.authority;
    this.socket = join(parts.folder, 'docker.sock');
    this.address = parts.namespace.address;
    this.gateway = parts.namespace.gateway;
    this.docker = new Docker({ socketPath: this.socket });
  }

  /** `unix://` and its socket. */
  get url(): string {
    return `unix://${this.socket}`;
  }

  /** A client's certificate that it accepts where it listens by `tls`. */
  client(): Promise<Certificate> {
    return this.authority.sign('client');
  }

  /** Runs a program on its host, in its network; gives what it printed. */
  inside(program: string, ...args: readonly string[]): Promise<string> {
    return this.#parts.namespace.run(program, ...args);
  }

  /** Starts it again, with the containers that it had. A listener that is left out stays as it was. */
  async start(listener = this.#listener): Promise<void> {
    this.#listener = listener;
    const { folder, cgroup, namespace } = this.#parts;
    const file = (name: string) => join(folder, name);
    const own = ['--data-root', file('data/root'), '--exec-root', file('data/exec'), '--pidfile', file('docker.pid'), '-H', this.url];
    const groups = ['--cgroup-parent', `/${cgroup}`, '--exec-opt', 'native.cgroupdriver=cgroupfs'];
    const log = await open(file('docker.log'), 'a');
    const args = [...own, ...groups, '--shutdown-timeout', '5', '--log-level', 'warn', ...(await this.#listening(listener))];
    this.#process = namespace.spawn('dockerd', args, { stdio: ['ignore', log.fd, log.fd] });
    await log.close();
    await this.#answering(this.#process);
  }

  /** Ends it in order: it stops its containers. */
  stop(): Promise<void> {
    return this.#end('TERM');
  }

  /** Ends it as a crash would: its containers run on until it starts again. */
  kill(): Promise<void> {
    return this.#end('KILL');
  }

  /** Once, on the engine's own host. */
  async startRegistry(): Promise<void> {
    const { folder, namespace } = this.#parts;
    const config = `version: 0.1\nlog: {level: error, accesslog: {disabled: true}}\nstorage: {filesystem: {rootdirectory: ${folder}/data/registry}}\nhttp: {addr: "${registry}"}\n`;
    await namespace.run('sh', '-c', 'printf %s "$1" > "$2"', '-', config, join(folder, 'registry.yml'));
    const child = namespace.spawn('docker-registry', ['serve', join(folder, 'registry.yml')], { stdio: 'ignore' });
    await waitFor(child, 'The registry', () => namespace.run('busybox', 'wget', '-q', '-O', '-', `http://${registry}/v2/`));
  }

  async #end(signal: string): Promise<void> {
    const child = this.#process;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit', { signal: AbortSignal.timeout(stop_ms) });
    await this.inside('sh', '-c', `kill -${signal} "$(cat "$1")"`, '-', join(this.#parts.folder, 'docker.pid'));
    await exited;
  }

  async #listening(listener: Listener): Promise<string[]> {
    if (listener === 'none') return [];
    if (listener === 'tcp') return ['-H', `tcp://${this.address}:2375`, '--tls=false'];
    await this.authority.sign('server', this.address);
    const file = (name: string) => join(this.authority.folder, name);
    const material = ['--tlscacert', file('ca.pem'), '--tlscert', file('server.pem'), '--tlskey', file('server-key.pem')];
    return ['-H', `tcp://${this.address}:2376`, '--tlsverify', ...material];
  }

  async #answering(child: ChildProcess): Promise<void> {
    const log = () => readFile(join(this.#parts.folder, 'docker.log'), 'utf8');
    await waitFor(child, 'The engine', () => this.docker.ping()).catch(async (fault: Error) => {
      throw new Error(`${fault.message}: ${(await log()).slice(-2_000)}`, { cause: fault });
    });
  }
}

async function waitFor(child: ChildProcess, name: string, probe: () => Promise<unknown>): Promise<void> {
  const until = Date.now() + start_ms;
  for (;;) {
    const fault = await probe().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (fault === undefined) return;
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${name} did not start`, { cause: fault });
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
