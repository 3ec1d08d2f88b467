import type { Migration } from '../../../kernel/contract/index.js';

/** Adds edits, deletions, threads and reactions of messages. */
export const migration: Migration = {
  name: '0030-message-changes',
  async up({ run }) {
    for (const column of ['edited_at', 'deleted_at', 'changed_at', 'last_reply_at'])
      await run(`ALTER TABLE chat_messages ADD COLUMN ${column} VARCHAR(24)`);
    await run('ALTER TABLE chat_messages ADD COLUMN thread_id VARCHAR(36)');
    await run('ALTER TABLE chat_messages ADD COLUMN reply_count INTEGER NOT NULL DEFAULT 0');
    await run(`ALTER TABLE chat_messages ADD COLUMN reactions TEXT NOT NULL DEFAULT '[]'`);
    await run('CREATE INDEX chat_messages_thread ON chat_messages (thread_id, created_at) WHERE thread_id IS NOT NULL');
    await run('CREATE INDEX chat_messages_changed ON chat_messages (session_id, changed_at) WHERE changed_at IS NOT NULL');
    await run(`CREATE TABLE chat_reactions (
      message_id VARCHAR(36) NOT NULL,
      emoji VARCHAR(64) NOT NULL,
      member_id INTEGER NOT NULL,
      session_id VARCHAR(36) NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (message_id, emoji, member_id)
    )`);
    await run('CREATE INDEX chat_reactions_member ON chat_reactions (member_id)');
    await run('CREATE INDEX chat_reactions_session ON chat_reactions (session_id)');
  },
};
