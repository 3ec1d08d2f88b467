import type { Migration } from '../../../kernel/contract/index.js';

/** Adds an index of the failed tasks of each member. */
export const migration: Migration = {
  name: '0044-failed-tasks',
  async up({ run }) {
    await run("CREATE INDEX chat_tasks_failed ON chat_tasks (requested_by, finished_at) WHERE status = 'failed'");
  },
};
