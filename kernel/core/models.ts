import type { Database } from '../contract/data.js';
import type { Permissions } from '../contract/manifest.js';
import { Op, type RowOf } from '../contract/models.js';

/** Single values of the installation by name, such as settings of plugins. */
function settings(db: Database) {
  const { string, text } = db.columns;
  return db.define('settings', { key: string(128, { primaryKey: true }), value: text() });
}

/** The key-value storage of extensions. */
function storage(db: Database) {
  const { string, text } = db.columns;
  return db.define('storage', { extension: string(64, { primaryKey: true }), key: string(256, { primaryKey: true }), value: text() });
}

/** Installed extensions, enabled or not. */
function extensions(db: Database) {
  const { string, text, json } = db.columns;
  return db.define('extensions', {
    id: string(64, { primaryKey: true }),
    version: string(64),
    /** Hash of the installed bundle; empty if the platform's own copy runs. */
    hash: string(80),
    state: string<'enabled' | 'disabled'>(16),
    /** No longer used. */
    settings: text({ defaultValue: '{}' }),
    installed_at: string(32),
    updated_at: string(32),
    /** ZIP of a plugin, `sha256:<hex>`; empty for the platform's own extensions. */
    blob: string(80, { defaultValue: '' }),
    /** Permissions granted to a plugin. */
    permissions: json<Permissions>({ defaultValue: {} as Permissions }),
  });
}

/** Position of each extension in the events of a topic, and the lease on it. */
function listeners(db: Database) {
  const { string, integer, bigint } = db.columns;
  return db.define('listeners', {
    extension: string(64, { primaryKey: true }),
    topic: string(128, { primaryKey: true }),
    cursor_txid: bigint({ defaultValue: 0 }),
    cursor_id: bigint({ defaultValue: 0 }),
    /** Process with the lease. */
    owner: string(64, { defaultValue: '' }),
    lease_until: string(32, { defaultValue: '' }),
    failures: integer({ defaultValue: 0 }),
    retry_at: string(32, { defaultValue: '' }),
  });
}

/** Times at which members were last seen. */
function presence(db: Database) {
  const { string, bigint } = db.columns;
  return db.define('presence', { member_id: bigint({ primaryKey: true }), last_seen_at: string(32) });
}

/** Events emitted by extensions, for listeners. */
function outbox(db: Database) {
  const { string, text, bigint } = db.columns;
  const { cast, fn } = db.expressions;
  const current = db.dialect === 'postgres' ? cast(cast(fn('pg_current_xact_id'), 'text'), 'bigint') : 0;
  const columns = {
    id: bigint({ primaryKey: true, autoIncrement: true }),
    topic: string(128),
    payload: text(),
    emitted_at: string(32),
    /** Writing transaction, because PostgreSQL makes rows visible in another order than that of their ids. 0 on SQLite. */
    txid: bigint({ defaultValue: current as number }),
  };
  return db.define('outbox', columns, { indexes: [{ name: 'kernel_outbox_order', fields: ['topic', 'txid', 'id'] }] });
}

/** Requests with an `Idempotency-Key`, and their answers. */
function idempotency(db: Database) {
  const { string, text, integer, bigint } = db.columns;
  return db.define(
    'idempotency',
    {
      member_id: bigint({ primaryKey: true }),
      key: string(256, { primaryKey: true }),
      operation: string(128),
      /** Keyed hash, because inputs may contain passwords. */
      body_hash: string(80),
      state: string<'running' | 'done'>(16),
      status: integer({ allowNull: true }),
      answer: text({ allowNull: true }),
      /** Process that runs the request. */
      owner: string(64),
      created_at: string(32),
    },
    { indexes: [{ name: 'kernel_idempotency_age', fields: ['created_at'] }] },
  );
}

/** The audit trail. */
function audit(db: Database) {
  const { string, integer, bigint, json } = db.columns;
  return db.define(
    'audit',
    {
      id: bigint({ primaryKey: true, autoIncrement: true }),
      at: string(32),
      member_id: bigint(),
      operation: string(128),
      door: string(16),
      address: string(64),
      request_id: string(64),
      outcome: string(64),
      input: json<object>(),
      target: string(256, { defaultValue: '' }),
      username: string(64, { defaultValue: '' }),
      times: integer({ defaultValue: 1 }),
      /** Time of the last repetition; empty in rows of an earlier version, where `at` applies. */
      last_at: string(32, { defaultValue: '' }),
      via: string(64, { defaultValue: '' }),
    },
    {
      indexes: [
        { name: 'kernel_audit_at', fields: ['at'] },
        ...['member_id', 'operation', 'target'].map((column) => ({
          name: `kernel_audit_${column.replace('_id', '')}`,
          fields: [column, 'id'],
        })),
        { name: 'kernel_audit_refused', fields: ['id'], where: { outcome: { [Op.ne]: 'success' } } },
      ],
    },
  );
}

/** Blobs by the hex of their SHA-256. */
function blobs(db: Database) {
  const { string, bigint } = db.columns;
  return db.define('blobs', { hash: string(80, { primaryKey: true }), bytes: bigint(), created_at: string(32) });
}

/** Content of blobs on PostgreSQL; SQLite installations store it in files. */
function blobChunks(db: Database) {
  const { string, integer, blob } = db.columns;
  return db.define('blob_chunks', {
    hash: string(80, { primaryKey: true, references: { model: 'kernel_blobs', key: 'hash' }, onDelete: 'CASCADE' }),
    number: integer({ primaryKey: true }),
    content: blob(),
  });
}

/** Holders of blobs. A blob without a holder is removed. */
function blobHolders(db: Database) {
  const { string } = db.columns;
  const columns = {
    extension: string(64, { primaryKey: true }),
    holder: string(128, { primaryKey: true }),
    hash: string(80, { primaryKey: true }),
  };
  return db.define('blob_holders', columns, { indexes: [{ name: 'kernel_blob_holders_hash', fields: ['hash'] }] });
}

/** The kernel's tables except that of migrations, which is read before Sequelize is loaded. */
const tables = {
  settings,
  storage,
  extensions,
  listeners,
  presence,
  outbox,
  idempotency,
  audit,
  blobs,
  blob_chunks: blobChunks,
  blob_holders: blobHolders,
};

export type KernelModels = { readonly [Name in keyof typeof tables]: ReturnType<(typeof tables)[Name]> };
export type ExtensionRow = RowOf<KernelModels['extensions']>;

/** Returns the models. Each is defined at its first use, because a start needs only three of them. */
export function defineModels(db: Database): KernelModels {
  const models = {};
  for (const [name, define] of Object.entries(tables)) {
    let model: ReturnType<typeof define> | undefined;
    Object.defineProperty(models, name, { enumerable: true, get: () => (model ??= define(db)) });
  }
  return models as KernelModels;
}
