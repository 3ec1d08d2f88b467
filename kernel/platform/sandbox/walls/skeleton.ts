import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run_mark } from '../in-use.js';

/**
 * A folder of empty files and folders at which mounts are made, each kept as long as somebody needs it. Removed are only
 * empty ones: should a mount be seen out here after all, nothing of it is touched.
 */
export class Skeleton {
  readonly root: string;
  readonly #users = new Map<string, number>();

  /** @param parent A folder that nobody clears while it is in use. */
  constructor(parent: string) {
    this.root = realpathSync(mkdtempSync(join(parent, `${process.pid}-${run_mark}`)));
    // The mask of this process is nobody's who looks at it from inside.
    chmodSync(this.root, 0o755);
  }

  /** Where the path lies below the root. */
  keep(path: string, kind: 'folder' | 'file'): string {
    const target = join(this.root, path);
    this.#keep(target, kind);
    return target;
  }

  release(path: string): void {
    this.#release(join(this.root, path));
  }

  dispose(): void {
    for (const path of [...this.#users.keys()].reverse()) remove(path);
    remove(this.root);
  }

  #keep(path: string, kind: 'folder' | 'file'): void {
    if (path === this.root) return;
    this.#keep(dirname(path), 'folder');
    const users = this.#users.get(path) ?? 0;
    this.#users.set(path, users + 1);
    if (users > 0) return;
    if (kind === 'file') writeFileSync(path, '');
    else mkdirSync(path);
    chmodSync(path, 0o755);
  }

  #release(path: string): void {
    if (path === this.root) return;
    const users = (this.#users.get(path) ?? 1) - 1;
    this.#users.set(path, users);
    if (users === 0) {
      this.#users.delete(path);
      remove(path);
    }
    this.#release(dirname(path));
  }
}

function remove(path: string): void {
  try {
    if (statSync(path).isDirectory()) rmdirSync(path);
    else unlinkSync(path);
  } catch {
    // Somebody has put something into it, or taken it away.
  }
}
