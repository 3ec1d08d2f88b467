import type { Migration } from '../../../kernel/contract/index.js';
import { member, time } from './columns.js';

/** Links that replace forgotten passwords. */
export const passwordResets: Migration = {
  name: '0015-password-resets',
  async up({ run }) {
    await run(`CREATE TABLE members_resets (
      token_hash VARCHAR(64) PRIMARY KEY,
      member_id ${member},
      version INTEGER NOT NULL,
      expires_at ${time} NOT NULL
    )`);
    await run('CREATE INDEX members_resets_member ON members_resets (member_id, expires_at)');
    await run('CREATE INDEX members_resets_expiry ON members_resets (expires_at)');
  },
};
