import type { Migration } from '../../../kernel/contract/index.js';

/** Marks participants that are plugins' own members, added to a session of others. */
export const migration: Migration = {
  name: '0012-guests',
  async up({ run }) {
    await run('ALTER TABLE chat_participants ADD COLUMN is_guest INTEGER NOT NULL DEFAULT 0');
  },
};
