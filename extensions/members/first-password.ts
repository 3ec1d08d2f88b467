import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../kernel/contract/index.js';
import { newPassword } from './opaque.js';
import type { Passwords } from './passwords.js';
import { members_lock } from './service.js';
import type { Settings } from './settings.js';
import type { Store } from './store.js';

interface Parts {
  store: Store;
  passwords: Passwords;
  settings: Settings;
  clock: Clock;
  data_dir: string;
}

/**
 * Creates the first administrator, and the file `first-password` (0600) in the data folder with its generated password,
 * which exists until the password is changed. A configured password is not written.
 */
export class FirstPassword {
  readonly #parts: Parts;
  readonly #file: string;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#file = join(parts.data_dir, 'first-password');
  }

  /** Creates the administrator if there is none. */
  async prepare(): Promise<void> {
    const { store, settings, passwords } = this.#parts;
    // In parallel, because each read delays a replacement under load.
    const [admin, left_over] = await Promise.all([store.members.firstAdmin(), this.#text()]);
    if (admin) return left_over === undefined ? undefined : this.tidy();
    const password = settings.admin_password || newPassword();
    const password_hash = await passwords.hash(password);
    const first_password = settings.admin_password === '';
    await store.exclusive(members_lock, async () => {
      if (await store.members.firstAdmin()) return;
      // Write before the commit: an administrator with an unknown password would lock everyone out.
      if (first_password) await this.#write(password);
      await this.#insert({ password_hash, first_password });
    });
  }

  /** Returns the password while it is in the file. */
  async read(): Promise<{ username: string; password: string } | undefined> {
    const text = await this.#text();
    const { members } = this.#parts.store;
    if (text === undefined || !(await members.hasFirstPassword())) return undefined;
    const admin = await members.firstAdmin();
    return admin && { username: admin.username, password: text.trim() };
  }

  /** Removes the file once no administrator has that password any more; any instance may have changed it. */
  async tidy(): Promise<void> {
    if ((await this.#text()) === undefined || (await this.#parts.store.members.hasFirstPassword())) return;
    await rm(this.#file, { force: true });
  }

  async #insert(password: { password_hash: string; first_password: boolean }): Promise<void> {
    const { store, settings, clock } = this.#parts;
    const username = settings.admin_username;
    const admin = { username, nickname: username, role: 'admin', is_virtual: false, remote_node_id: null } as const;
    await store.members.insert({ ...admin, ...password, created_at: clock.iso() });
  }

  #text(): Promise<string | undefined> {
    return readFile(this.#file, 'utf8').catch(undefinedIfMissing);
  }

  async #write(password: string): Promise<void> {
    await rm(this.#file, { force: true });
    await writeFile(this.#file, `${password}\n`, { mode: 0o600, flag: 'wx' });
  }
}

function undefinedIfMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
