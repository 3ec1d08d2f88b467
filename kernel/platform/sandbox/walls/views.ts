import { existsSync, readFileSync, realpathSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, sep } from 'node:path';
import type { Disposable } from '../../../contract/extension.js';
import { Skeleton } from './skeleton.js';

export interface ViewsOptions {
  /** Parent folder of the views, not cleared while in use. */
  parent: string;
  /** Real paths that all processes may read. */
  readable: readonly string[];
  /** Real paths of programs that start inside. */
  programs: readonly string[];
  proc: boolean;
}

/** Real paths of folders for one process only. */
export interface Own {
  readable: readonly string[];
  writable: readonly string[];
}

/** The file system of one process: its root folder, and its mount table. */
export interface View extends Disposable {
  root: string;
  table: string;
}

/** Paths of shared libraries. */
const libraries = ['/lib', '/lib32', '/lib64', '/usr/lib', '/usr/lib32', '/usr/lib64', '/etc/ld.so.cache'];
const harmless = 'nosuid,nodev';

/**
 * Creates the file systems of plugins' processes. Each has the common and its own files, at their outside paths.
 * The mounts are made in the process's own mount namespace: outside there are only empty mount points.
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
      ...[...libraries.filter((path) => existsSync(path)), ...linkedFolders(), ...programs].map((path) => this.#bind(path, 'ro')),
      // Parents first: a later mount hides everything below it.
      ...byDepth(readable).map((path) => this.#bind(path, 'ro,noexec')),
      ...(proc ? [line('proc', this.#skeleton.acquire('/proc', 'folder'), `proc ${harmless},noexec`)] : []),
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
    const target = this.#skeleton.acquire(path, statSync(path).isDirectory() ? 'folder' : 'file');
    return line(realpathSync(path), target, `none bind,${harmless},${options}`);
  }
}

function line(from: string, to: string, options: string): string {
  return `${escaped(from)} ${escaped(to)} ${options} 0 0`;
}

function byDepth(paths: readonly string[]): string[] {
  return [...new Set(paths)].sort((a, b) => a.split(sep).length - b.split(sep).length);
}

/** Returns further folders of libraries that this program is linked with. */
function linkedFolders(): string[] {
  const maps = process.platform === 'linux' ? readFileSync('/proc/self/maps', 'utf8') : '';
  const files = [...maps.matchAll(/ (\/\S+\.so(?:\.\S+)?)$/gm)].map(([, path = '']) => dirname(path));
  return [...new Set(files)].filter((folder) => !libraries.some((known) => folder === known || folder.startsWith(`${known}/`)));
}

/** Escapes field separators as in fstab(5). */
function escaped(path: string): string {
  return path.replace(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
