import type { Migration } from '../../../kernel/contract/index.js';
import { numbered, time } from './columns.js';

/** People and AI employees. */
export const members: Migration = {
  name: '0001-members',
  async up({ dialect, run }) {
    await run(`CREATE TABLE members_members (
      id ${numbered(dialect)},
      username VARCHAR(64) NOT NULL,
      username_key VARCHAR(64) NOT NULL UNIQUE,
      nickname VARCHAR(64) NOT NULL,
      search TEXT NOT NULL,
      password_hash VARCHAR(255),
      first_password BOOLEAN NOT NULL DEFAULT FALSE,
      role VARCHAR(16) NOT NULL,
      is_virtual BOOLEAN NOT NULL,
      version INTEGER NOT NULL DEFAULT 1,
      remote_node_id INTEGER,
      post VARCHAR(64) NOT NULL DEFAULT '',
      mode VARCHAR(16) NOT NULL DEFAULT 'assistant',
      created_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_members_kind ON members_members (is_virtual, role, id)');
  },
};
