import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { run_mark } from '../in-use.js';

/**
 * A folder of empty files and folders as mount points, counted by their users. Removes only
 * empty ones, so that a mount that is visible outside is never touched.
 */
export class Skeleton {
  readonly root: string;
  readonly #users = new Map<string, number>();

  /** @param parent A folder that is not cleared while in use. */
  constructor(parent: string) {
    this.root = realpathSync(mkdtempSync(join(parent, `${process.pid}-${run_mark}`)));
    // Explicit, because the umask of this process must not affect access from inside.
    chmodSync(this.root, 0o755);
  }

  /** Creates a mount point, or adds a user to it; returns its path below the root. */
  acquire(path: string, kind: 'folder' | 'file'): string {
    const target = join(this.root, path);
    this.#acquire(target, kind);
    return target;
  }

  release(path: string): void {
    this.#release(join(this.root, path));
  }

  dispose(): void {
    for (const path of [...this.#users.keys()].reverse()) remove(path);
    remove(this.root);
  }

  #acquire(path: string, kind: 'folder' | 'file'): void {
    if (path === this.root) return;
    this.#acquire(dirname(path), 'folder');
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
    // It is not empty, or already removed.
  }
}
