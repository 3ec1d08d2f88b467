import type { Migration } from '../../../kernel/contract/index.js';
import { member, numbered, time } from './columns.js';

/** Invitations of people who have no account yet. */
export const invitations: Migration = {
  name: '0014-invitations',
  async up({ dialect, run }) {
    await run(`CREATE TABLE members_invitations (
      id ${numbered(dialect)},
      token_hash VARCHAR(64) NOT NULL UNIQUE,
      email VARCHAR(254),
      role VARCHAR(16) NOT NULL,
      room_ids TEXT NOT NULL,
      invited_by ${member},
      created_at ${time} NOT NULL,
      expires_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_invitations_inviter ON members_invitations (invited_by)');
    await run('CREATE INDEX members_invitations_expiry ON members_invitations (expires_at)');
  },
};
