import type { Migration } from '../../../kernel/contract/index.js';

/** Settings of AI employees; one without a row has the defaults. */
export const settings: Migration = {
  name: '0002-settings',
  async up({ run }) {
    await run(`CREATE TABLE agents_settings (
      member_id INTEGER NOT NULL PRIMARY KEY,
      settings TEXT NOT NULL,
      tokens_per_day INTEGER NOT NULL,
      updated_at VARCHAR(24) NOT NULL
    )`);
  },
};
