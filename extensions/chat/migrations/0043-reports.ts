import type { Migration } from '../../../kernel/contract/index.js';

/** Adds reports of messages to a room's owners or to the administrators. */
export const migration: Migration = {
  name: '0043-reports',
  async up({ run }) {
    await run(`CREATE TABLE chat_reports (
      message_id VARCHAR(36) NOT NULL,
      member_id INTEGER NOT NULL,
      session_id VARCHAR(36) NOT NULL,
      reason VARCHAR(1000) NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (message_id, member_id)
    )`);
    await run('CREATE INDEX chat_reports_member ON chat_reports (member_id, created_at)');
    await run('CREATE INDEX chat_reports_session ON chat_reports (session_id)');
  },
};
