import type { Migration } from '../../../kernel/contract/index.js';

/** Plugins' own members take part in sessions that are others'. */
export const migration: Migration = {
  name: '0012-guests',
  async up({ run }) {
    await run('ALTER TABLE chat_participants ADD COLUMN is_guest INTEGER NOT NULL DEFAULT 0');
  },
};
