import { execFile, spawn } from 'node:child_process';
import { chmod, cp, mkdir, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { readProgram } from '../../helpers/docker/program.js';

const run = promisify(execFile);

/** The files of an image, gathered in a folder: a shell with its programs, and what of this machine is added. */
export class Tree {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** @param user whom it has beside root: `name:x:id:id` */
  static async open(folder: string, user: string): Promise<Tree> {
    const tree = new Tree(folder);
    const [name, , id] = user.split(':');
    for (const each of ['proc', 'sys', 'dev', 'root', 'run', 'etc', 'bin', 'usr/local/bin'])
      await mkdir(join(folder, each), { recursive: true });
    await mkdir(join(folder, 'tmp'));
    await chmod(join(folder, 'tmp'), 0o1777);
    await tree.write('etc/passwd', `root:x:0:0:root:/root:/bin/sh\n${name}:x:${id}:${id}::/:/bin/sh\n`);
    await tree.write('etc/group', `root:x:0:\n${name}:x:${id}:\n`);
    await tree.add('busybox');
    const { stdout } = await run('busybox', ['--list']);
    const links = stdout.split('\n').filter((applet) => applet !== '' && applet !== 'busybox');
    await run('sh', ['-c', 'cd "$1" && shift && for name; do ln -s busybox "$name"; done', '-', join(folder, 'bin'), ...links]);
    return tree;
  }

  /** Adds programs of this machine with what they are linked with; those of a path keep it. */
  async add(...names: readonly string[]): Promise<void> {
    for (const name of names) {
      const { bytes, libraries } = await readProgram(name);
      const path = name.startsWith('/') ? name : `${name === 'busybox' ? 'bin' : 'usr/local/bin'}/${basename(name)}`;
      await this.write(path, bytes, 0o755);
      for (const [library, content] of libraries) await this.write(library, content, 0o755);
    }
  }

  /** Adds what a file of this machine is linked with. */
  async addLibraries(file: string): Promise<void> {
    const { libraries } = await readProgram(file);
    for (const [library, content] of libraries) await this.write(library, content, 0o755);
  }

  /** Adds a folder of this machine at its own path. */
  async addFolder(path: string, wanted: (file: string) => boolean = () => true): Promise<void> {
    const target = join(this.#folder, path);
    await mkdir(dirname(target), { recursive: true });
    await cp(path, target, { recursive: true, dereference: true, filter: wanted });
  }

  async write(path: string, content: string | Uint8Array, mode = 0o644): Promise<void> {
    const target = join(this.#folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content, { mode });
  }

  /** As a tar archive; all of it is root's. */
  archive(): Readable {
    return archive(['-C', this.#folder, '.']);
  }
}

/** Returns the archive that `tar` makes of these arguments; root owns all files. */
export function archive(args: readonly string[]): Readable {
  const child = spawn('tar', ['-cf', '-', '--owner=0', '--group=0', ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  child.once('exit', (code) => {
    if (code !== 0) child.stdout.destroy(new Error(`tar ended with ${code}`));
  });
  return child.stdout;
}
