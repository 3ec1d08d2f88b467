import type { Database } from '../contract/data.js';
import type { Permissions } from '../contract/manifest.js';
import type { RowOf } from '../contract/models.js';

/** Single values of the installation by their names, such as what administrators have set for plugins. */
function settings(db: Database) {
  const { string, text } = db.columns;
  return db.define('settings', { key: string(128, { primaryKey: true }), value: text() });
}

/** The key-value storage of extensions. */
function storage(db: Database) {
  const { string, text } = db.columns;
  return db.define('storage', { extension: string(64, { primaryKey: true }), key: string(256, { primaryKey: true }), value: text() });
}

/** Extensions that are installed, enabled or not. */
function extensions(db: Database) {
  const { string, text, json } = db.columns;
  return db.define('extensions', {
    id: string(64, { primaryKey: true }),
    version: string(64),
    /** The installed bundle's; empty if the platform's own copy runs. */
    hash: string(80),
    state: string<'enabled' | 'disabled'>(16),
    /** No longer used. */
    settings: text({ defaultValue: '{}' }),
    installed_at: string(32),
    updated_at: string(32),
    /** The ZIP of a third party, `sha256:<hex>`; empty for the platform's own. */
    blob: string(80, { defaultValue: '' }),
    /** What a third party was granted. */
    permissions: json<Permissions>({ defaultValue: {} as Permissions }),
  });
}

/** How far each extension has handled the events of a topic. */
function listeners(db: Database) {
  const { string, integer, bigint } = db.columns;
  return db.define('listeners', {
    extension: string(64, { primaryKey: true }),
    topic: string(128, { primaryKey: true }),
    cursor_txid: bigint({ defaultValue: 0 }),
    cursor_id: bigint({ defaultValue: 0 }),
    /** The process that handles them now. */
    owner: string(64, { defaultValue: '' }),
    lease_until: string(32, { defaultValue: '' }),
    failures: integer({ defaultValue: 0 }),
    retry_at: string(32, { defaultValue: '' }),
  });
}

/** When members were last seen. */
function presence(db: Database) {
  const { string, bigint } = db.columns;
  return db.define('presence', { member_id: bigint({ primaryKey: true }), last_seen_at: string(32) });
}

/** The kernel's own tables, but for those that are read and written by text alone: events, keys of repeated requests, audit, blobs. */
export const defineModels = (db: Database) => ({
  settings: settings(db),
  storage: storage(db),
  extensions: extensions(db),
  listeners: listeners(db),
  presence: presence(db),
});

export type KernelModels = ReturnType<typeof defineModels>;
export type ExtensionRow = RowOf<KernelModels['extensions']>;
