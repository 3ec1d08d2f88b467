import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { parse } from 'yaml';
import { loadConfig } from '../../config/load.js';
import { settings } from '../../config/schema.js';
import { inRange } from '../../kernel/platform/net/address.js';
import { temporaryFolder } from '../helpers/databases.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const files = ['deploy/compose.yaml', 'deploy/Dockerfile', 'deploy/platform.service', 'deploy/haproxy.cfg', 'deploy/secrets.sh'];

interface Service {
  image: string;
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  build?: object;
  depends_on?: object;
  ports?: string[];
  networks: Partial<Record<string, { ipv4_address: string }>>;
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, null>;
  networks: { inside: { ipam: { config: { subnet: string; ip_range: string }[] } } };
}

const compose = parse(read('deploy/compose.yaml'), { merge: true }) as Compose;
const instances = Object.entries(compose.services).filter(([, { image }]) => image === 'platform');
/** Variables of the files' own: what the balancer calls the instances, and what may be set for compose. */
const others = /^PLATFORM_([123]|PUBLISH)$/;

t.test('every variable is a setting, and the files have no secrets', (t) => {
  const known = new Map(
    Object.values(settings).map((setting): [string, { secret?: boolean }] => [setting.environment, { secret: 'secret' in setting }]),
  );
  for (const file of files) {
    for (const [name] of read(file).matchAll(/\bPLATFORM_[A-Z0-9_]+/g)) {
      const plain = known.get(name) ?? known.get(name.replace(/_FILE$/, ''));
      t.ok(plain !== undefined || others.test(name) || name === 'PLATFORM_', `${name} of ${file}`);
    }
  }
  for (const [name, { environment = {} }] of Object.entries(compose.services)) {
    const open = Object.keys(environment).filter((key) => known.get(key)?.secret === true || /PASSWORD$/.test(key));
    t.same(open, [], `secrets of ${name} come from files`);
  }
  t.end();
});

t.test('secrets.sh creates each secret once, and an instance accepts them', async (t) => {
  const folder = join(await temporaryFolder(t), 'secrets');
  const make = () => execFileSync('sh', [join(root, 'deploy/secrets.sh'), folder]);
  make();
  const made = () => Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
  const first = made();
  make();
  t.same(made(), first, 'a secret is not created again');
  t.equal(statSync(folder).mode & 0o777, 0o700);
  t.same(Object.keys(first).sort(), Object.keys(compose.secrets).sort());
  for (const { file } of Object.values(compose.secrets)) t.match(file, /^\.\/secrets\/[a-z_.]+$/);

  t.equal(instances.length, 3);
  for (const [name, { environment = {}, secrets = [] }] of instances) {
    const env = Object.entries(environment).map(([key, value]) => [key, variable(value).replace('/run/secrets', folder)]);
    const used = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(.*)$/.exec(value)?.[1] ?? []);
    t.same(used.sort(), secrets.toSorted(), `the secrets of ${name} are those that it reads`);
    const config = loadConfig({ env: Object.fromEntries(env) });
    t.match(config, { database_url: /^postgres:\/\/platform:\w{48}@postgres\/platform$/, bus_url: /^redis:\/\/:\w{48}@redis$/ });
    t.same(config.trusted_proxies, [compose.services.balancer?.networks.inside?.ipv4_address]);
  }
  t.match(first['redis.conf'], /^requirepass \w{48}\n$/);
});

t.test('compose resources are named after the platform and keep given settings', async (t) => {
  const folder = await temporaryFolder(t);
  await cp(join(root, 'deploy/secrets.sh'), join(folder, 'secrets.sh'));
  const settings = join(folder, '.env');
  const make = () => execFileSync('sh', [join(folder, 'secrets.sh')]);
  make();
  t.equal(readFileSync(settings, 'utf8'), 'COMPOSE_PROJECT_NAME=platform\n');
  const set = 'COMPOSE_PROJECT_NAME=work\nPLATFORM_PUBLISH=8080\n';
  await writeFile(settings, set);
  make();
  t.equal(readFileSync(settings, 'utf8'), set);
  await writeFile(settings, 'PLATFORM_PUBLISH=8080');
  make();
  t.equal(readFileSync(settings, 'utf8'), 'PLATFORM_PUBLISH=8080\nCOMPOSE_PROJECT_NAME=platform\n', 'a last line without an end is kept');
});

t.test("one service builds the image for all, and no container has the balancer's address", (t) => {
  t.same(
    instances.filter(([, { build }]) => build).map(([name]) => name),
    ['platform-1'],
  );
  const after = (service: Service) => Object.keys(service.depends_on ?? {});
  for (const [name, service] of instances) t.equal(after(service).includes('platform-1'), name !== 'platform-1', name);
  const [{ subnet, ip_range } = { subnet: '', ip_range: '' }] = compose.networks.inside.ipam.config;
  const { ipv4_address = '' } = compose.services.balancer?.networks.inside ?? {};
  t.same([inRange(ipv4_address, subnet), inRange(ipv4_address, ip_range)], [true, false]);
  t.end();
});

t.test('each instance has its own folder, and the balancer lists all instances', (t) => {
  const volumes = instances.map(([, service]) => service.volumes?.join());
  t.equal(new Set(volumes).size, 3);
  t.ok(volumes.every((volume) => /^data-\d:\/data$/.test(volume ?? '')));
  const { environment = {} } = compose.services.balancer as Service;
  const port = /PLATFORM_PORT=(\d+)/.exec(read('deploy/Dockerfile'))?.[1];
  t.same(
    Object.values(environment).filter((value) => value.startsWith('platform-')),
    instances.map(([name]) => `${name}:${port}`),
  );
  for (const name of Object.keys(environment)) t.match(read('deploy/haproxy.cfg'), `"\${${name}}"`);
  t.match(read('deploy/Dockerfile'), `EXPOSE ${port}\n`);
  t.ok(
    Object.values(compose.services).every(({ ports = [] }, index) => index === 0 || ports.length === 0),
    'only the balancer is reachable from outside',
  );
  t.end();
});

t.test('the image copies existing files and runs as an unprivileged user', (t) => {
  const text = read('deploy/Dockerfile');
  const ignored = read('.dockerignore').split('\n');
  const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)]
    .flatMap(([, names = '']) => names.split(' '))
    .filter((name) => name !== '.');
  for (const name of copied) {
    t.ok(existsSync(join(root, name)), name);
    t.ok(ignored.includes(`!${name.split('/')[0]}`), `${name} is not ignored`);
  }
  t.match(text, /^USER 10001:10001$/m);
  t.match(text, /^HEALTHCHECK /m);
  t.match(text, /^ENTRYPOINT \["node", "\/app\/dist\/cli\/main.js"/m);
  t.end();
});

t.test("the service starts the program and permits the plugins' walls", (t) => {
  const text = read('deploy/platform.service');
  const lines = text.split('\n').filter((line) => !line.startsWith('#'));
  t.notOk(
    lines.some((line) =>
      /^(RestrictNamespaces|ProtectKernelTunables|ProtectKernelLogs|ProtectProc|ProcSubset|PrivateUsers|MemoryDenyWriteExecute)=/.test(
        line,
      ),
    ),
  );
  for (const line of ['NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict']) t.ok(lines.includes(line), line);
  t.match(text, /^ExecStart=\S+ node dist\/cli\/main\.js serve$/m);
  t.end();
});

t.test(
  'systemd accepts the service',
  { skip: spawnSync('systemd-analyze', ['--version']).status === 0 ? false : 'needs systemd-analyze' },
  (t) => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(root, 'deploy/platform.service')], { encoding: 'utf8' });
    t.same([status, stderr], [0, '']);
    t.end();
  },
);

/** As compose reads `${NAME:-default}` where nothing is set. */
function variable(value: string): string {
  return value.replace(/\$\{\w+:-([^}]*)\}/g, '$1');
}
