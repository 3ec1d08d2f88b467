import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ContainerInspectInfo } from 'dockerode';
import t from 'tap';
import { startDocker, type TestDocker } from '../helpers/docker/engine.js';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { temporaryFolder } from '../helpers/platform.js';
import { makeImages } from './compose/images.js';

const run = promisify(execFile);
const deploy = fileURLToPath(new URL('../../../deploy', import.meta.url));
const instances = ['platform-1', 'platform-2', 'platform-3'];

/** The folder `deploy` as somebody has it who took the program, and what its README has them do. */
class Site {
  readonly url: string;
  readonly #engine: TestDocker;
  readonly #folder: string;

  constructor(engine: TestDocker, folder: string) {
    this.#engine = engine;
    this.#folder = folder;
    this.url = `http://${engine.address}:8080`;
  }

  async compose(...args: readonly string[]): Promise<string> {
    const published = { DOCKER_HOST: this.#engine.url, PLATFORM_PUBLISH: `${this.#engine.address}:8080` };
    const env = { PATH: process.env.PATH ?? '', HOME: this.#folder, ...published };
    const options = { cwd: this.#folder, env, timeout: 120_000, maxBuffer: 16 * 1024 ** 2 };
    return (await run('docker-compose', ['-f', 'deploy/compose.yaml', ...args], options)).stdout;
  }

  async secrets(): Promise<Record<string, string>> {
    const folder = join(this.#folder, 'deploy/secrets');
    const read = async (name: string) => [name, (await readFile(join(folder, name), 'utf8')).trim()] as const;
    return Object.fromEntries(await Promise.all((await readdir(folder)).map(read)));
  }

  /** Each service's container, as the engine tells of it. */
  async containers(): Promise<Record<string, ContainerInspectInfo>> {
    const { docker } = this.#engine;
    const all = await docker.listContainers({ all: true });
    const found = all.map(
      async ({ Id, Labels }) => [Labels['com.docker.compose.service'], await docker.getContainer(Id).inspect()] as const,
    );
    return Object.fromEntries(await Promise.all(found));
  }

  /** Waits until all of these are healthy, by the checks of the file. */
  async healthy(services: readonly string[]): Promise<void> {
    const health = async () => {
      const containers = await this.containers();
      return services.map((name) => `${name} ${containers[name]?.State.Health?.Status}`);
    };
    await until(health, (all) => all.every((each) => each.endsWith(' healthy')), 60_000);
  }

  /** The statuses of so many requests, and the instances that answered. */
  async ask(times: number, authorization: string): Promise<{ statuses: Set<number>; met: Set<string> }> {
    const [statuses, met] = [new Set<number>(), new Set<string>()];
    for (let n = 0; n < times; n += 1) {
      const answer = await fetch(`${this.url}/api/chat/sessions`, { headers: { authorization } });
      statuses.add(answer.status);
      met.add(answer.headers.get('x-instance') ?? '');
      await answer.arrayBuffer();
    }
    return { statuses, met };
  }

  async login(password: string): Promise<string> {
    const body = JSON.stringify({ username: 'admin', password });
    const answer = await fetch(`${this.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    if (answer.status !== 200) throw new Error(`The login was answered with ${answer.status}`);
    return `Bearer ${((await answer.json()) as { access_token: string }).access_token}`;
  }
}

t.test('deploy/compose.yaml', { skip: skipWithout('docker', 'registry', 'compose', 'postgres', 'redis', 'haproxy') }, async (t) => {
  const engine = await startDocker(t);
  const folder = await temporaryFolder(t);
  const files = join(folder, 'images');
  await mkdir(files);
  await makeImages(engine.docker, files);
  // The balancer's user reads its file there.
  await chmod(folder, 0o755);
  await cp(deploy, join(folder, 'deploy'), { recursive: true, filter: (path) => !/\/(secrets|\.env)$/.test(path) });
  const site = new Site(engine, folder);
  await run('sh', ['deploy/secrets.sh'], { cwd: folder });
  await site.compose('up', '-d');
  await site.healthy([...instances, 'postgres', 'redis']);
  const secrets = await site.secrets();
  const ready = () =>
    fetch(`${site.url}/readyz`).then(
      ({ status }) => status,
      () => 0,
    );
  await until(ready, (status) => status === 200);
  const authorization = await site.login(secrets.admin_password ?? '');

  await t.test('three instances answer through the balancer only', async (t) => {
    const { met } = await until(
      () => site.ask(6, authorization),
      ({ met, statuses }) => met.size === 3 && statuses.size === 1,
    );
    t.equal(met.size, 3);
    const containers = await site.containers();
    const published = Object.entries(containers).filter(([, { NetworkSettings }]) => Object.values(NetworkSettings.Ports).some(Boolean));
    t.same(
      published.map(([name]) => name),
      ['balancer'],
    );
    t.same(Object.keys(containers).sort(), ['balancer', ...instances, 'postgres', 'redis']);
  });

  await t.test('the deployment streams a reply, and distinguishes clients by address', async (t) => {
    const body = JSON.stringify({ content: '/help', images: [], target_type: 'ai' });
    const headers = { 'content-type': 'application/json', authorization, 'x-forwarded-for': '6.6.6.6' };
    const sent = await fetch(`${site.url}/api/chat/send`, { method: 'POST', headers, body });
    const { message_id } = (await sent.json()) as { message_id: string };
    const stream = await fetch(`${site.url}/api/chat/stream/${message_id}`, { headers: { authorization } });
    t.match(await stream.text(), /event: message\.completed[\s\S]*event: done/);
    const audit = await fetch(`${site.url}/api/admin/audit?operation=auth.login`, { headers: { authorization } });
    t.match(await audit.json(), [{ operation: 'auth.login', address: engine.gateway }]);
  });

  await t.test("an instance's command line acts as administrator", async (t) => {
    const members = JSON.parse(await site.compose('exec', '-T', 'platform-2', 'platform', 'member', 'list', '--json', 'username'));
    t.match(members, [{ username: 'admin' }]);
  });

  await t.test('no secret is visible from outside, and containers run with few privileges', async (t) => {
    const containers = await site.containers();
    const seen = JSON.stringify(containers) + JSON.stringify(await engine.docker.getImage('platform').history());
    const plain = Object.values(secrets).map((secret) => secret.replace(/^requirepass /, ''));
    t.equal(plain.length, 6);
    t.same(
      plain.filter((secret) => seen.includes(secret)),
      [],
    );
    for (const name of instances) {
      const { Config, HostConfig } = containers[name] as ContainerInspectInfo;
      t.match([Config.User, HostConfig.CapDrop, HostConfig.SecurityOpt], ['10001:10001', ['ALL'], ['no-new-privileges:true']]);
      const owner = await site.compose('exec', '-T', name, 'stat', '-c', '%u:%g %a', '/data');
      t.equal(owner.trim(), '10001:10001 700');
    }
  });

  await t.test('clients do not notice a killed instance, which restarts by itself', async (t) => {
    const before = (await site.containers())['platform-1']?.RestartCount ?? 0;
    await site.compose('exec', '-T', 'platform-1', 'sh', '-c', 'kill -9 -1').catch(() => undefined);
    const { statuses } = await site.ask(60, authorization);
    t.same([...statuses], [200]);
    await until(
      async () => (await site.containers())['platform-1']?.RestartCount ?? 0,
      (count) => count > before,
    );
    await site.healthy(instances);
    const { met } = await until(
      () => site.ask(6, authorization),
      ({ met }) => met.size === 3,
    );
    t.equal(met.size, 3);
  });

  await t.test('the deployment recovers by itself after restarts of PostgreSQL and Redis', async (t) => {
    await site.compose('restart', 'postgres', 'redis');
    await until(
      () => site.login(secrets.admin_password ?? '').catch(() => undefined),
      (token) => token !== undefined,
    );
    const { met } = await until(
      () => site.ask(6, authorization),
      ({ met, statuses }) => met.size === 3 && statuses.size === 1 && statuses.has(200),
      60_000,
    );
    t.equal(met.size, 3);
    t.same(await Promise.all(instances.map(async (name) => (await site.containers())[name]?.State.Running)), [true, true, true]);
  });

  await t.test('the deployment keeps all data over `down` and `up`', async (t) => {
    const sessions = async () => (await (await fetch(`${site.url}/api/chat/sessions`, { headers: { authorization } })).json()) as unknown[];
    const before = await sessions();
    await site.compose('down');
    t.same(await engine.docker.listContainers({ all: true }), []);
    const { Volumes } = await engine.docker.listVolumes();
    t.same(Volumes.map(({ Name }) => Name).sort(), ['platform_data-1', 'platform_data-2', 'platform_data-3', 'platform_postgres']);
    await site.compose('up', '-d');
    await until(ready, (status) => status === 200, 60_000);
    t.equal(before.length, 1);
    t.same(await sessions(), before, 'the token is still valid, so the keys are the same');
  });
});
