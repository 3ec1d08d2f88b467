import type { Migration } from '../../../kernel/contract/index.js';

/** What tells a login's spent refresh tokens from made-up ones. */
export const marks: Migration = {
  name: '0004-marks',
  async up({ run }) {
    // The refresh tokens given out before bear no mark: who holds one logs in again.
    await run('DELETE FROM members_logins');
    await run("ALTER TABLE members_logins ADD COLUMN mark_key VARCHAR(64) NOT NULL DEFAULT ''");
  },
};
