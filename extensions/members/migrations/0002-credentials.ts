import type { Migration } from '../../../kernel/contract/index.js';
import { member, numbered, time } from './columns.js';

/** Credentials of members. */
export const credentials: Migration = {
  name: '0002-credentials',
  async up({ dialect, run }) {
    await run(`CREATE TABLE members_logins (
      id VARCHAR(32) PRIMARY KEY,
      member_id ${member},
      refresh_hash VARCHAR(64) NOT NULL,
      rotation INTEGER NOT NULL,
      address VARCHAR(64) NOT NULL,
      agent VARCHAR(200) NOT NULL,
      created_at ${time} NOT NULL,
      used_at ${time} NOT NULL,
      expires_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_logins_member ON members_logins (member_id, used_at)');
    await run('CREATE INDEX members_logins_expiry ON members_logins (expires_at)');
    await run(`CREATE TABLE members_tokens (
      id ${numbered(dialect)},
      member_id ${member},
      hash VARCHAR(64) NOT NULL UNIQUE,
      name VARCHAR(64) NOT NULL,
      scopes TEXT NOT NULL,
      created_at ${time} NOT NULL,
      expires_at ${time},
      last_used_at ${time}
    )`);
    await run('CREATE INDEX members_tokens_member ON members_tokens (member_id, id)');
    await run(`CREATE TABLE members_tickets (
      hash VARCHAR(64) PRIMARY KEY,
      member_id ${member},
      version INTEGER NOT NULL,
      token_id VARCHAR(64) NOT NULL,
      scopes TEXT NOT NULL,
      valid_until ${time},
      expires_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_tickets_member ON members_tickets (member_id, token_id)');
    await run('CREATE INDEX members_tickets_expiry ON members_tickets (expires_at)');
  },
};
