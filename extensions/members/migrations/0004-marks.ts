import type { Migration } from '../../../kernel/contract/index.js';

/** Key that distinguishes a login's spent refresh tokens from forged ones. */
export const marks: Migration = {
  name: '0004-marks',
  async up({ run }) {
    // Refresh tokens issued earlier have no mark: their owners log in again.
    await run('DELETE FROM members_logins');
    await run("ALTER TABLE members_logins ADD COLUMN mark_key VARCHAR(64) NOT NULL DEFAULT ''");
  },
};
