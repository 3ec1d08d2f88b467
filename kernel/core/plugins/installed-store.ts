import type { Permissions } from '../../contract/manifest.js';
import type { Data } from '../ports.js';

/** What is remembered of an extension across restarts. */
export interface InstalledRow {
  id: string;
  version: string;
  /** Of the installed bundle; empty where the platform's own copy runs. */
  hash: string;
  state: 'enabled' | 'disabled';
  /** The ZIP of a third party, `sha256:<hex>`; empty for the platform's own. */
  blob: string;
  /** What a third party was granted. */
  permissions: Permissions;
  installed_at: string;
}

/** Whether it is of a third party's extension. */
export function isGuest({ blob }: Pick<InstalledRow, 'blob'>): boolean {
  return blob !== '';
}

type Stored = Omit<InstalledRow, 'permissions'> & { permissions: string };

const fields = 'id, version, hash, state, blob, permissions, installed_at';

/** Which extensions are installed and which are switched off. */
export class InstalledStore {
  readonly #data: Data;
  readonly #clock: { iso(): string };

  constructor(data: Data, clock: { iso(): string }) {
    this.#data = data;
    this.#clock = clock;
  }

  async all(): Promise<InstalledRow[]> {
    return (await this.#db.rows<Stored>(`SELECT ${fields} FROM kernel_extensions ORDER BY id`)).map(parsed);
  }

  async find(id: string): Promise<InstalledRow | undefined> {
    const [row] = await this.#db.rows<Stored>(`SELECT ${fields} FROM kernel_extensions WHERE id = $1`, [id]);
    return row && parsed(row);
  }

  /** Gives when it was installed: now, where it wasn't. */
  async put({ id, version, hash, state, blob, permissions }: Omit<InstalledRow, 'installed_at'>): Promise<string> {
    const [row] = await this.#db.transaction(() =>
      this.#db.rows<{ installed_at: string }>(
        'INSERT INTO kernel_extensions (id, version, hash, state, blob, permissions, settings, installed_at, updated_at) ' +
          "VALUES ($1, $2, $3, $4, $5, $6, '{}', $7, $7) ON CONFLICT (id) DO UPDATE " +
          'SET version = $2, hash = $3, state = $4, blob = $5, permissions = $6, updated_at = $7 RETURNING installed_at',
        [id, version, hash, state, blob, JSON.stringify(permissions), this.#clock.iso()],
      ),
    );
    return row?.installed_at ?? this.#clock.iso();
  }

  /** Removes the row and what an extension has subscribed to, and its key-value storage where `purge`. */
  async delete(id: string, { purge }: { purge: boolean }): Promise<void> {
    await this.#db.transaction(async () => {
      await this.#db.run('DELETE FROM kernel_extensions WHERE id = $1', [id]);
      await this.#db.run('DELETE FROM kernel_listeners WHERE extension = $1', [id]);
      if (purge) await this.#db.run('DELETE FROM kernel_storage WHERE extension = $1', [id]);
    });
  }

  /**
   * Removes the key-value storage of one that is not installed: its last version may have written after its row was gone. What is
   * being installed anew by another instance at that moment has no row yet, and loses what it has stored while it starts.
   */
  async forgetStorage(id: string): Promise<void> {
    const installed = 'SELECT 1 FROM kernel_extensions WHERE id = $1';
    await this.#db.run(`DELETE FROM kernel_storage WHERE extension = $1 AND NOT EXISTS (${installed})`, [id]);
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#db.transaction(work);
  }

  get #db() {
    return this.#data.facade('kernel');
  }
}

function parsed({ permissions, ...row }: Stored): InstalledRow {
  return { ...row, permissions: JSON.parse(permissions) as Permissions };
}
