import type { Migration } from '../../../kernel/contract/index.js';

/** Remarks for the readers of a reply beside its text; JSON. */
export const migration: Migration = {
  name: '0020-notices',
  async up({ run }) {
    await run(`ALTER TABLE chat_messages ADD COLUMN notices TEXT NOT NULL DEFAULT '[]'`);
  },
};
