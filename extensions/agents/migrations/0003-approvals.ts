import type { Migration } from '../../../kernel/contract/index.js';

/** Tool calls that wait for a decision, the people who may decide them, and summaries of long conversations. */
export const approvals: Migration = {
  name: '0003-approvals',
  async up({ run }) {
    await run(`CREATE TABLE agents_approvals (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      session_id VARCHAR(36) NOT NULL,
      task_id VARCHAR(36) NOT NULL,
      message_id VARCHAR(36) NOT NULL,
      tool_call_id VARCHAR(36) NOT NULL,
      member_id INTEGER NOT NULL,
      requested_by INTEGER NOT NULL,
      name VARCHAR(128) NOT NULL,
      input TEXT NOT NULL,
      effect VARCHAR(16) NOT NULL,
      status VARCHAR(16) NOT NULL,
      reason TEXT NOT NULL,
      decided_by INTEGER,
      decided_by_name VARCHAR(64),
      owner VARCHAR(64) NOT NULL,
      lease_until BIGINT NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      expires_at VARCHAR(24) NOT NULL,
      decided_at VARCHAR(24)
    )`);
    await run(`CREATE INDEX agents_approvals_pending ON agents_approvals (member_id) WHERE status = 'pending'`);
    await run('CREATE INDEX agents_approvals_session ON agents_approvals (session_id)');
    await run('CREATE INDEX agents_approvals_age ON agents_approvals (created_at)');
    await run(`CREATE TABLE agents_approval_deciders (
      member_id INTEGER NOT NULL,
      approval_id VARCHAR(36) NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (member_id, created_at, approval_id)
    )`);
    await run('CREATE INDEX agents_approval_deciders_approval ON agents_approval_deciders (approval_id)');
    await run(`CREATE TABLE agents_summaries (
      session_id VARCHAR(36) NOT NULL PRIMARY KEY,
      message_id VARCHAR(36) NOT NULL,
      text TEXT NOT NULL,
      updated_at VARCHAR(24) NOT NULL
    )`);
  },
};
