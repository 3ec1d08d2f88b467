import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, sep } from 'node:path';

export interface ViewOptions {
  /** The folder that its own is made in; one that nobody clears while it is in use. */
  parent: string;
  /** Real paths of files and folders that are there to be read. */
  readable: readonly string[];
  /** Real paths of folders that may be written. */
  writable: readonly string[];
  /** Programs that are started inside, by their real paths. */
  programs: readonly string[];
  proc: boolean;
}

/** Where programs find what they are linked with. */
const libraries = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64', '/etc/ld.so.cache'];
const harmless = 'nosuid,nodev';

/**
 * The file system of one process: an empty folder and the table of what is mounted into it, each at the path that it has
 * outside. The mounts are made in the process's own mount namespace: out here the folder stays empty.
 */
export class View {
  readonly root: string;
  readonly table: string;
  readonly #made: string[] = [];
  readonly #lines: string[] = [];

  constructor({ parent, readable, writable, programs, proc }: ViewOptions) {
    this.root = realpathSync(mkdtempSync(join(parent, `${process.pid}-`)));
    this.table = `${this.root}.mounts`;
    chmodSync(this.root, 0o755);
    this.#line(this.root, this.root, `bind,ro,${harmless},noexec`);
    for (const path of libraries) if (existsSync(path)) this.#library(path);
    for (const path of [...programs, ...linked()]) this.#bind(path, `bind,ro,${harmless}`);
    // Those above come first: what is mounted later hides what lies below.
    for (const path of byDepth(readable)) this.#bind(path, `bind,ro,${harmless},noexec`);
    for (const path of byDepth(writable)) this.#bind(path, `bind,rw,${harmless},noexec`);
    if (proc) this.#proc();
    writeFileSync(this.table, `${this.#lines.join('\n')}\n`);
  }

  /** Never what lies in a folder: should a mount be seen out here after all, nothing of it is touched. */
  dispose(): void {
    for (const path of [...this.#made, this.table]) quietly(() => unlinkSync(path));
    for (const path of [...this.#made.reverse(), this.root]) quietly(() => rmdirSync(path));
  }

  #library(path: string): void {
    if (lstatSync(path).isSymbolicLink()) this.#link(path);
    else this.#bind(path, `bind,ro,${harmless}`);
  }

  #link(path: string): void {
    const link = join(this.root, path);
    this.#folder(dirname(link));
    symlinkSync(readlinkSync(path), link);
    this.#made.push(link);
  }

  #bind(path: string, options: string): void {
    const target = join(this.root, path);
    if (statSync(path).isDirectory()) this.#folder(target);
    else this.#file(target);
    this.#line(path, target, options);
  }

  #proc(): void {
    const target = join(this.root, 'proc');
    this.#folder(target);
    this.#lines.push(`proc ${escaped(target)} proc ${harmless},noexec 0 0`);
  }

  #line(from: string, to: string, options: string): void {
    this.#lines.push(`${escaped(from)} ${escaped(to)} none ${options} 0 0`);
  }

  #folder(path: string): void {
    if (existsSync(path)) return;
    this.#folder(dirname(path));
    mkdirSync(path);
    // Whatever this process's mask says: the process inside is another user.
    chmodSync(path, 0o755);
    this.#made.push(path);
  }

  #file(path: string): void {
    if (existsSync(path)) return;
    this.#folder(dirname(path));
    writeFileSync(path, '', { mode: 0o644 });
    this.#made.push(path);
  }
}

function byDepth(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort((a, b) => a.split(sep).length - b.split(sep).length);
}

/** Folders of libraries that this program was linked with and that lie elsewhere. */
function linked(): string[] {
  const maps = process.platform === 'linux' ? readFileSync('/proc/self/maps', 'utf8') : '';
  const files = [...maps.matchAll(/ (\/\S+\.so(?:\.\S+)?)$/gm)].map(([, path = '']) => dirname(path));
  return [...new Set(files)].filter((folder) => !libraries.some((known) => folder === known || folder.startsWith(`${known}/`)));
}

/** As fstab(5) writes what would part its fields. */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // It is a folder, or gone already.
  }
}
