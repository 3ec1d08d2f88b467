import { existsSync, readFileSync, realpathSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Disposable } from '../../../contract/extension.js';
import { Skeleton } from './skeleton.js';

export interface ViewsOptions {
  /** The folder that they are made in; one that nobody clears while it is in use. */
  parent: string;
  /** Real paths of files and folders that everybody may read. */
  readable: readonly string[];
  /** Programs that are started inside, by their real paths. */
  programs: readonly string[];
  proc: boolean;
}

/** What is there for one process only; real paths of folders. */
export interface Own {
  readable: readonly string[];
  writable: readonly string[];
}

/** The file system of one process: a folder that becomes its root, and the table of what is mounted into it. */
export interface View extends Disposable {
  root: string;
  table: string;
}

/** Where programs find what they are linked with. */
const libraries = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64', '/etc/ld.so.cache'];
const harmless = 'nosuid,nodev';

/**
 * File systems of plugins' processes. Each has what all need and what is its own, at the paths that they have outside.
 * The mounts are made in the process's own mount namespace: out here there are only empty places to mount at.
 */
export class Views implements Disposable {
  readonly #skeleton: Skeleton;
  readonly #common: readonly string[];
  #tables = 0;

  constructor({ parent, readable, programs, proc }: ViewsOptions) {
    this.#skeleton = new Skeleton(parent);
    const { root } = this.#skeleton;
    this.#common = [
      line(root, root, `none bind,ro,${harmless},noexec`),
      ...[...libraries.filter((path) => existsSync(path)), ...linked(), ...programs].map((path) => this.#bind(path, 'ro')),
      // Those above come first: what is mounted later hides what lies below.
      ...byDepth(readable).map((path) => this.#bind(path, 'ro,noexec')),
      ...(proc ? [line('proc', this.#skeleton.keep('/proc', 'folder'), `proc ${harmless},noexec`)] : []),
    ];
  }

  open({ readable, writable }: Own): View {
    const { root } = this.#skeleton;
    this.#tables += 1;
    const table = `${root}.${this.#tables}.mounts`;
    const own = [
      ...byDepth(readable).map((path) => this.#bind(path, 'ro,noexec')),
      ...byDepth(writable).map((path) => this.#bind(path, 'rw,noexec')),
    ];
    writeFileSync(table, `${[...this.#common, ...own].join('\n')}\n`);
    const dispose = () => {
      unlinkSync(table);
      for (const path of [...new Set(readable), ...new Set(writable)]) this.#skeleton.release(path);
    };
    return { root, table, dispose };
  }

  dispose(): void {
    this.#skeleton.dispose();
  }

  #bind(path: string, options: string): string {
    const target = this.#skeleton.keep(path, statSync(path).isDirectory() ? 'folder' : 'file');
    return line(realpathSync(path), target, `none bind,${harmless},${options}`);
  }
}

function line(from: string, to: string, rest: string): string {
  return `${escaped(from)} ${escaped(to)} ${rest} 0 0`;
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
