import type { Migration } from '../../contract/data.js';

/** Migrations of the kernel's tables. Never change a released one; add another. */
export const kernelMigrations: readonly Migration[] = [
  {
    name: '0001-kernel',
    async up({ dialect, run }) {
      const postgres = dialect === 'postgres';
      const counter = postgres ? 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
      const bytes = postgres ? 'BYTEA' : 'BLOB';
      // The writing transaction, because rows become visible in another order than that of their ids.
      const txid = postgres ? 'BIGINT NOT NULL DEFAULT pg_current_xact_id()::text::bigint' : 'BIGINT NOT NULL DEFAULT 0';
      await run('CREATE TABLE kernel_settings (key VARCHAR(128) PRIMARY KEY, value TEXT NOT NULL)');
      await run(`CREATE TABLE kernel_storage (
        extension VARCHAR(64) NOT NULL, key VARCHAR(256) NOT NULL, value TEXT NOT NULL, PRIMARY KEY (extension, key))`);
      await run('CREATE TABLE kernel_blobs (hash VARCHAR(80) PRIMARY KEY, bytes BIGINT NOT NULL, created_at VARCHAR(32) NOT NULL)');
      await run(`CREATE TABLE kernel_blob_chunks (
        hash VARCHAR(80) NOT NULL REFERENCES kernel_blobs (hash) ON DELETE CASCADE,
        number INTEGER NOT NULL, content ${bytes} NOT NULL, PRIMARY KEY (hash, number))`);
      await run(`CREATE TABLE kernel_outbox (
        id ${counter}, topic VARCHAR(128) NOT NULL, payload TEXT NOT NULL, emitted_at VARCHAR(32) NOT NULL, txid ${txid})`);
      await run('CREATE INDEX kernel_outbox_order ON kernel_outbox (topic, txid, id)');
      await run(`CREATE TABLE kernel_listeners (
        extension VARCHAR(64) NOT NULL, topic VARCHAR(128) NOT NULL,
        cursor_txid BIGINT NOT NULL DEFAULT 0, cursor_id BIGINT NOT NULL DEFAULT 0,
        owner VARCHAR(64) NOT NULL DEFAULT '', lease_until VARCHAR(32) NOT NULL DEFAULT '',
        failures INTEGER NOT NULL DEFAULT 0, retry_at VARCHAR(32) NOT NULL DEFAULT '', PRIMARY KEY (extension, topic))`);
      await run(`CREATE TABLE kernel_idempotency (
        member_id BIGINT NOT NULL, key VARCHAR(256) NOT NULL, operation VARCHAR(128) NOT NULL, body_hash VARCHAR(80) NOT NULL,
        state VARCHAR(16) NOT NULL, status INTEGER, answer TEXT, owner VARCHAR(64) NOT NULL, created_at VARCHAR(32) NOT NULL,
        PRIMARY KEY (member_id, key))`);
      await run('CREATE INDEX kernel_idempotency_age ON kernel_idempotency (created_at)');
      await run(`CREATE TABLE kernel_audit (
        id ${counter}, at VARCHAR(32) NOT NULL, member_id BIGINT NOT NULL, operation VARCHAR(128) NOT NULL, door VARCHAR(16) NOT NULL,
        address VARCHAR(64) NOT NULL, request_id VARCHAR(64) NOT NULL, outcome VARCHAR(64) NOT NULL, input TEXT NOT NULL,
        target VARCHAR(256) NOT NULL DEFAULT '')`);
      await run('CREATE INDEX kernel_audit_at ON kernel_audit (at)');
      await run(`CREATE TABLE kernel_extensions (
        id VARCHAR(64) PRIMARY KEY, version VARCHAR(64) NOT NULL, hash VARCHAR(80) NOT NULL, state VARCHAR(16) NOT NULL,
        settings TEXT NOT NULL DEFAULT '{}', installed_at VARCHAR(32) NOT NULL, updated_at VARCHAR(32) NOT NULL)`);
    },
  },
  {
    name: '0002-presence',
    async up({ run }) {
      await run('CREATE TABLE kernel_presence (member_id BIGINT PRIMARY KEY, last_seen_at VARCHAR(32) NOT NULL)');
    },
  },
  {
    name: '0003-blob-holders',
    async up({ run }) {
      await run(`CREATE TABLE kernel_blob_holders (
        extension VARCHAR(64) NOT NULL, holder VARCHAR(128) NOT NULL, hash VARCHAR(80) NOT NULL, PRIMARY KEY (extension, holder, hash))`);
      await run('CREATE INDEX kernel_blob_holders_hash ON kernel_blob_holders (hash)');
    },
  },
  {
    name: '0004-guests',
    async up({ run }) {
      await run("ALTER TABLE kernel_extensions ADD COLUMN blob VARCHAR(80) NOT NULL DEFAULT ''");
      await run("ALTER TABLE kernel_extensions ADD COLUMN permissions TEXT NOT NULL DEFAULT '{}'");
    },
  },
  {
    name: '0005-audit',
    async up({ run }) {
      await run("ALTER TABLE kernel_audit ADD COLUMN username VARCHAR(64) NOT NULL DEFAULT ''");
      await run('ALTER TABLE kernel_audit ADD COLUMN times INTEGER NOT NULL DEFAULT 1');
      await run("ALTER TABLE kernel_audit ADD COLUMN last_at VARCHAR(32) NOT NULL DEFAULT ''");
      await run('CREATE INDEX kernel_audit_member ON kernel_audit (member_id, id)');
      await run('CREATE INDEX kernel_audit_operation ON kernel_audit (operation, id)');
      await run('CREATE INDEX kernel_audit_target ON kernel_audit (target, id)');
      await run("CREATE INDEX kernel_audit_refused ON kernel_audit (id) WHERE outcome <> 'success'");
    },
  },
  {
    name: '0006-audit-via',
    async up({ run }) {
      await run("ALTER TABLE kernel_audit ADD COLUMN via VARCHAR(64) NOT NULL DEFAULT ''");
    },
  },
];
