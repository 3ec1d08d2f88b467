import { execFile } from 'node:child_process';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import tar from 'tar-stream';
import { type Program, packLibraries, readProgram } from './program.js';

const run = promisify(execFile);

/** Where the engine finds its registry. */
export const registry = '127.0.0.1:5000';

/** Images of the registry. */
export const images = {
  /** Busybox, all of its programs. */
  busybox: `${registry}/busybox:latest`,
  /** A single program, which sleeps. */
  noshell: `${registry}/noshell:latest`,
  /** Busybox, healthy as long as it has no file `/tmp/ill`. */
  watched: `${registry}/watched:latest`,
} as const;

/** Makes the images, and pushes them to the engine's registry, so that it has to pull them. */
export async function pushImages(docker: Docker): Promise<void> {
  const program = await readProgram('busybox');
  const { stdout } = await run('busybox', ['--list']);
  const applets = stdout.split('\n').filter((name) => name !== '' && name !== 'busybox');
  const check = `HEALTHCHECK --interval=1s --timeout=5s --retries=2 CMD test ! -e /tmp/ill`;
  await Promise.all([
    push(docker, { image: images.busybox, tree: shellTree(program, applets), changes: ['CMD ["sh"]'] }),
    push(docker, { image: images.watched, tree: shellTree(program, applets), changes: ['CMD ["sh"]', check] }),
    // Busybox is the program by whose name it is called.
    push(docker, { image: images.noshell, tree: soleTree(program), changes: ['CMD ["/sleep", "2147483647"]'] }),
  ]);
}

/** An entry of an image's files, with the fields of its tar header. */
export interface TreeEntry {
  name: string;
  content?: string;
  type?: 'directory' | 'symlink';
  linkname?: string;
  mode?: number;
  uid?: number;
  gid?: number;
}

/** Busybox's image, without some of its programs, and with other files beside or in place of its own. */
export async function busyboxTree({ without = [], entries = [] }: { without?: readonly string[]; entries?: readonly TreeEntry[] } = {}) {
  const [program, { stdout }] = await Promise.all([readProgram('busybox'), run('busybox', ['--list'])]);
  const applets = stdout.split('\n').filter((name) => name !== '' && name !== 'busybox' && !without.includes(name));
  return shellTree(program, applets, entries);
}

function shellTree(program: Program, applets: readonly string[], entries: readonly TreeEntry[] = []): tar.Pack {
  const pack = tar.pack();
  const own = new Set(entries.map(({ name }) => name));
  const add = (header: TreeEntry, content: string | Buffer = '') => own.has(header.name) || pack.entry(header, content as string);
  for (const name of ['bin', 'etc', 'proc', 'sys', 'dev', 'root']) add({ name, type: 'directory', mode: 0o755 });
  add({ name: 'tmp', type: 'directory', mode: 0o1777 });
  add({ name: 'etc/passwd' }, 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n');
  add({ name: 'etc/group' }, 'root:x:0:\nnobody:x:65534:\n');
  add({ name: 'bin/busybox', mode: 0o755 }, program.bytes);
  packLibraries(pack, program);
  for (const name of applets) add({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox' });
  for (const { content = '', ...header } of entries) pack.entry(header, content);
  pack.finalize();
  return pack;
}

function soleTree(program: Program): tar.Pack {
  const pack = tar.pack();
  pack.entry({ name: 'sleep', mode: 0o755 }, program.bytes);
  packLibraries(pack, program);
  pack.finalize();
  return pack;
}

/** An image to be: its files, and what is said of them as in a Dockerfile. */
export interface Image {
  /** `name:tag` */
  image: string;
  /** A tar archive. */
  tree: tar.Pack | Readable;
  changes: readonly string[];
}

/** Gives the engine an image that it needn't pull. */
export async function importImage(docker: Docker, { image, tree, changes }: Image): Promise<void> {
  const [repo = '', tag = ''] = image.split(/:(?=[^:/]*$)/);
  await finished(docker, (await docker.importImage(tree as unknown as string, { repo, tag, changes })) as NodeJS.ReadableStream);
}

async function push(docker: Docker, image: Image): Promise<void> {
  await importImage(docker, image);
  const local = docker.getImage(image.image);
  await finished(docker, await local.push({ authconfig: { username: '', password: '' } } as object));
  await local.remove({ force: true });
}

/** Waits for the end of what an engine tells of its work; fails where that tells of an error. */
export async function finished(docker: Docker, progress: NodeJS.ReadableStream): Promise<void> {
  const steps = await new Promise<{ error?: string }[]>((resolve, reject) => {
    docker.modem.followProgress(progress, (fault, output) => (fault ? reject(fault) : resolve(output as { error?: string }[])));
  });
  const failed = steps.find(({ error }) => error !== undefined);
  if (failed) throw new Error(failed.error);
}
