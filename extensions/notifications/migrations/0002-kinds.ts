import type { Migration } from '../../../kernel/contract/index.js';

/** Adds a notification's kind and subject ids. Existing rows get their kind from their titles. */
export const migration: Migration = {
  name: '0002-kinds',
  async up({ run }) {
    await run(`ALTER TABLE notifications_items ADD COLUMN kind VARCHAR(32) NOT NULL DEFAULT 'notice'`);
    await run(`ALTER TABLE notifications_items ADD COLUMN about TEXT NOT NULL DEFAULT '{}'`);
    await run('ALTER TABLE notifications_items ADD COLUMN session_id VARCHAR(36)');
    await run(`CREATE INDEX notifications_items_session ON notifications_items (member_id, session_id) WHERE session_id IS NOT NULL`);
    const kindOf = [
      ["source = 'ai_message' AND title LIKE '% asks for approval: %'", 'approval'],
      ["source = 'ai_message' AND (title LIKE '% has answered' OR title LIKE '% could not answer')", 'answer'],
      ["source = 'schedule' AND title LIKE 'The schedule % did not succeed: %'", 'run_failed'],
      ["source = 'schedule' AND title LIKE 'The schedule % has run'", 'run_finished'],
    ];
    for (const [where, kind] of kindOf) await run(`UPDATE notifications_items SET kind = '${kind}' WHERE ${where}`);
  },
};
