import type { Migration } from '../../../kernel/contract/index.js';

/** Adds the number of texts that joined a task after its message. The task ends only when the answerer has read all of them. */
export const migration: Migration = {
  name: '0002-joins',
  async up({ run }) {
    await run('ALTER TABLE chat_tasks ADD COLUMN joins INTEGER NOT NULL DEFAULT 0');
  },
};
