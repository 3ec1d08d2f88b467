import type { Migration } from '../../../kernel/contract/index.js';

/** How many texts were taken into a task after its message: its end waits until they were given to whoever answers. */
export const migration: Migration = {
  name: '0002-joins',
  async up({ run }) {
    await run('ALTER TABLE chat_tasks ADD COLUMN joins INTEGER NOT NULL DEFAULT 0');
  },
};
