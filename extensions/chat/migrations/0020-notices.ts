import type { Migration } from '../../../kernel/contract/index.js';

/** Adds remarks for readers of a reply beside its text, as JSON. */
export const migration: Migration = {
  name: '0020-notices',
  async up({ run }) {
    await run(`ALTER TABLE chat_messages ADD COLUMN notices TEXT NOT NULL DEFAULT '[]'`);
  },
};
