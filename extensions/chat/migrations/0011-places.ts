import type { Migration } from '../../../kernel/contract/index.js';

/** Gives tasks that need a node an index of their own, so that many of them don't slow down finding the others. */
export const migration: Migration = {
  name: '0011-places',
  async up({ run }) {
    await run('DROP INDEX chat_tasks_queue');
    await run(`CREATE INDEX chat_tasks_queue ON chat_tasks (created_at) WHERE status = 'queued' AND node_id IS NULL`);
    await run(
      `CREATE INDEX chat_tasks_placed ON chat_tasks (member_id, requested_by, created_at) WHERE status = 'queued' AND node_id IS NOT NULL`,
    );
    await run(
      `CREATE INDEX chat_tasks_node ON chat_tasks (node_id) WHERE node_id IS NOT NULL AND status IN ('queued', 'running', 'waiting_approval')`,
    );
  },
};
