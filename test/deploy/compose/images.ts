import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import { finished, importImage } from '../../helpers/docker/images.js';
import { postgresPrograms } from '../../helpers/postgres.js';
import { archive, Tree } from './tree.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../..', import.meta.url));
const entry = (name: string) => readFile(new URL(`./${name}.sh`, import.meta.url));

/** Images that compose.yaml names by default. */
const names = { postgres: 'postgres:17', redis: 'redis:7', haproxy: 'haproxy:3.0', platform: 'platform:latest' } as const;

/**
 * Gives an engine what deploy/compose.yaml names: PostgreSQL, Redis and the balancer from this machine's own programs, which begin as
 * the images of these names do, and the platform as the last stage of deploy/Dockerfile makes it of what was built and installed here.
 *
 * @param folder empty; for the files meanwhile
 */
export async function makeImages(docker: Docker, folder: string): Promise<void> {
  await Promise.all([
    postgres(docker, join(folder, 'postgres')),
    redis(docker, join(folder, 'redis')),
    haproxy(docker, join(folder, 'haproxy')),
    platform(docker, join(folder, 'node')),
  ]);
}

async function postgres(docker: Docker, folder: string): Promise<void> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error('There is no PostgreSQL on this machine');
  const tree = await Tree.open(folder, 'postgres:x:999');
  const used = ['postgres', 'initdb', 'pg_ctl', 'createdb', 'pg_isready'].map((name) => join(programs, name));
  await tree.add('setpriv', ...used);
  const [server, shared] = [dirname(programs), join('/usr/share/postgresql', basename(dirname(programs)))];
  // Without what compiles queries: it is large, and linked with more.
  const wanted = (file: string) => !/bitcode|llvmjit/.test(file);
  for (const each of [join(server, 'lib'), shared, '/usr/share/zoneinfo', '/usr/lib/locale/C.utf8'])
    if (existsSync(each)) await tree.addFolder(each, wanted);
  await tree.write('usr/local/bin/docker-entrypoint.sh', await entry('postgres'), 0o755);
  const path = `ENV PATH=${programs}:/usr/local/bin:/usr/bin:/bin PGDATA=/var/lib/postgresql/data`;
  const lines = [path, 'ENTRYPOINT ["docker-entrypoint.sh"]', 'CMD ["postgres"]', 'VOLUME /var/lib/postgresql/data', 'STOPSIGNAL SIGINT'];
  await build(docker, { image: names.postgres, files: tree.archive(), lines });
}

async function redis(docker: Docker, folder: string): Promise<void> {
  const tree = await Tree.open(folder, 'redis:x:999');
  await tree.add('setpriv', 'redis-server', 'redis-cli');
  await tree.write('usr/local/bin/docker-entrypoint.sh', await entry('redis'), 0o755);
  const lines = ['VOLUME /data', 'WORKDIR /data', 'ENTRYPOINT ["docker-entrypoint.sh"]', 'CMD ["redis-server"]'];
  await build(docker, { image: names.redis, files: tree.archive(), lines });
}

async function haproxy(docker: Docker, folder: string): Promise<void> {
  const tree = await Tree.open(folder, 'haproxy:x:99');
  await tree.add('haproxy');
  await tree.write('usr/local/bin/docker-entrypoint.sh', await entry('haproxy'), 0o755);
  const command = 'CMD ["haproxy", "-f", "/usr/local/etc/haproxy/haproxy.cfg"]';
  const lines = ['USER haproxy', 'ENTRYPOINT ["docker-entrypoint.sh"]', command, 'STOPSIGNAL SIGUSR1'];
  await build(docker, { image: names.haproxy, files: tree.archive(), lines });
}

async function platform(docker: Docker, folder: string): Promise<void> {
  const tree = await Tree.open(folder, 'node:x:1000');
  // Its own `env`: the shell's knows no -S.
  await tree.add('node', '/usr/bin/env');
  const text = await readFile(join(root, 'deploy/Dockerfile'), 'utf8');
  // All that comes before installs and builds, which wants a registry.
  const last = text.slice(text.lastIndexOf('\nFROM '));
  const { folder: installed, packages } = await installedPackages();
  const { stdout } = await run('find', [...packages.map((path) => join(installed, path)), '-name', '*.node']);
  for (const addon of stdout.split('\n').filter(Boolean)) await tree.addLibraries(addon);
  const unread = ['*.map', '*.d.ts', '*.d.mts', '*.d.cts', 'sqlite3/deps', 'obj.target', 'dist/test'].map((name) => `--exclude=${name}`);
  const built = archive([...unread, '--transform=s,^,app/,', '-C', installed, ...packages, '-C', root, 'dist']);
  await importImage(docker, { image: 'platform-built:latest', tree: built, changes: [] });
  const context = ['config/default.json', 'package.json', 'LICENSE'];
  const before = ['FROM platform-built AS packages', 'FROM platform-built AS build'];
  await build(docker, { image: names.platform, files: tree.archive(), lines: [...before, last], context });
}

interface Building {
  image: string;
  /** A tar archive of its files. */
  files: Readable;
  /** Lines of its Dockerfile after the line, or the argument, that names these files. */
  lines: readonly string[];
  /** Files of this folder that are copied. */
  context?: readonly string[];
}

async function build(docker: Docker, { image, files, lines, context = [] }: Building): Promise<void> {
  const base = `files-of-${image}`;
  await importImage(docker, { image: base, tree: files, changes: [] });
  const first = lines[0]?.startsWith('FROM ') ? `ARG BASE_IMAGE=${base}` : `FROM ${base}`;
  const pack = tar.pack();
  pack.entry({ name: 'Dockerfile' }, [first, ...lines].join('\n'));
  for (const name of context) pack.entry({ name }, await readFile(join(root, name)));
  pack.finalize();
  await finished(docker, await docker.buildImage(pack as unknown as NodeJS.ReadableStream, { t: image }));
}

/** The packages with which the program runs, as paths in the folder where they are installed. */
async function installedPackages(): Promise<{ folder: string; packages: string[] }> {
  const lock = JSON.parse(await readFile(join(root, 'package-lock.json'), 'utf8')) as { packages: Record<string, { dev?: boolean }> };
  const folder = dirname(await realpath(join(root, 'node_modules')));
  const packages = Object.entries(lock.packages)
    .filter(([path, { dev }]) => !dev && /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path) && existsSync(join(folder, path)))
    .map(([path]) => path);
  return { folder, packages };
}
