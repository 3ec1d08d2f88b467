import type { Migration } from '../../../kernel/contract/index.js';
import { numbered, time } from './columns.js';

/** Signing keys of access tokens, and counted failures of logins. */
export const keys: Migration = {
  name: '0003-keys',
  async up({ dialect, run }) {
    await run(`CREATE TABLE members_keys (
      kid VARCHAR(32) PRIMARY KEY,
      sealed TEXT NOT NULL,
      created_at ${time} NOT NULL,
      valid_until ${time}
    )`);
    await run(`CREATE TABLE members_failures (
      id ${numbered(dialect)},
      name_hash VARCHAR(64) NOT NULL,
      address VARCHAR(64) NOT NULL,
      failed_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_failures_name ON members_failures (name_hash, failed_at)');
    await run('CREATE INDEX members_failures_time ON members_failures (failed_at)');
  },
};
