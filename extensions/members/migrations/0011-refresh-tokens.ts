import type { Migration } from '../../../kernel/contract/index.js';
import { time } from './columns.js';

/** Refresh tokens that can be used again, because an answer was lost or two tabs refreshed at once. */
export const refreshTokens: Migration = {
  name: '0011-refresh-tokens',
  async up({ run }) {
    await run('ALTER TABLE members_logins ADD COLUMN generation INTEGER NOT NULL DEFAULT 0');
    await run(`ALTER TABLE members_logins ADD COLUMN generation_at ${time}`);
    await run("ALTER TABLE members_logins ADD COLUMN other_hashes TEXT NOT NULL DEFAULT '[]'");
  },
};
