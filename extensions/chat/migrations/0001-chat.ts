import type { Migration } from '../../../kernel/contract/index.js';

/** Creates the tables of sessions, their participants, messages, and the tasks that answer them. */
export const migration: Migration = {
  name: '0001-chat',
  async up({ run }) {
    await run(`CREATE TABLE chat_sessions (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      title VARCHAR(200) NOT NULL,
      target_type VARCHAR(16) NOT NULL,
      created_by INTEGER NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      updated_at VARCHAR(24) NOT NULL,
      last_message_at VARCHAR(24),
      last_message_preview VARCHAR(400) NOT NULL,
      active_task_id VARCHAR(36),
      last_ms BIGINT NOT NULL
    )`);
    await run(`CREATE TABLE chat_participants (
      session_id VARCHAR(36) NOT NULL,
      member_id INTEGER NOT NULL,
      target_type VARCHAR(16) NOT NULL,
      target_id VARCHAR(64) NOT NULL,
      unread_count INTEGER NOT NULL,
      hidden INTEGER NOT NULL,
      activity_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (session_id, member_id)
    )`);
    // Holds all that a page of the list takes from this table, in the list's order.
    await run(`CREATE INDEX chat_participants_list ON chat_participants
      (member_id, hidden, activity_at DESC, session_id DESC, target_type, target_id, unread_count)`);
    await run(`CREATE INDEX chat_participants_target ON chat_participants (target_type, target_id)`);
    await run(`CREATE TABLE chat_messages (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      session_id VARCHAR(36) NOT NULL,
      role VARCHAR(16) NOT NULL,
      sender_id INTEGER,
      sender_name VARCHAR(64) NOT NULL,
      content TEXT NOT NULL,
      images TEXT NOT NULL,
      reply_to VARCHAR(36),
      task_id VARCHAR(36),
      status VARCHAR(16) NOT NULL,
      error TEXT,
      input_tokens INTEGER,
      output_tokens INTEGER,
      tool_calls TEXT NOT NULL,
      seq INTEGER NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      updated_at VARCHAR(24) NOT NULL
    )`);
    await run('CREATE UNIQUE INDEX chat_messages_page ON chat_messages (session_id, created_at)');
    await run(`CREATE TABLE chat_tasks (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      session_id VARCHAR(36) NOT NULL,
      message_id VARCHAR(36) NOT NULL,
      reply_id VARCHAR(36) NOT NULL,
      target_type VARCHAR(16) NOT NULL,
      member_id INTEGER NOT NULL,
      member_name VARCHAR(64) NOT NULL,
      requested_by INTEGER NOT NULL,
      scopes VARCHAR(64) NOT NULL,
      node_id INTEGER,
      title VARCHAR(400) NOT NULL,
      status VARCHAR(16) NOT NULL,
      reason VARCHAR(64),
      progress TEXT,
      error TEXT,
      owner VARCHAR(64),
      lease_until BIGINT,
      created_at VARCHAR(24) NOT NULL,
      started_at VARCHAR(24),
      finished_at VARCHAR(24)
    )`);
    const open = "status IN ('queued', 'running', 'waiting_approval')";
    const running = "status IN ('running', 'waiting_approval')";
    await run('CREATE INDEX chat_tasks_session ON chat_tasks (session_id)');
    // Finds the next task; final tasks, of which a session may have thousands, are left out.
    await run(`CREATE INDEX chat_tasks_turn ON chat_tasks (session_id, created_at) WHERE ${open}`);
    await run(`CREATE INDEX chat_tasks_asker ON chat_tasks (requested_by) WHERE ${open}`);
    await run(`CREATE INDEX chat_tasks_queue ON chat_tasks (created_at) WHERE status = 'queued'`);
    await run(`CREATE INDEX chat_tasks_lease ON chat_tasks (lease_until) WHERE ${running}`);
    await run(`CREATE UNIQUE INDEX chat_tasks_one_at_a_time ON chat_tasks (session_id) WHERE ${running}`);
  },
};
