import type { Migration } from '../../../kernel/contract/index.js';

/** Creates the table of the session that two members see in each other's list of contacts. */
export const migration: Migration = {
  name: '0004-pairs',
  async up({ run }) {
    await run(`CREATE TABLE chat_pairs (
      low_id INTEGER NOT NULL,
      high_id INTEGER NOT NULL,
      session_id VARCHAR(36),
      PRIMARY KEY (low_id, high_id)
    )`);
    await run('CREATE INDEX chat_pairs_high ON chat_pairs (high_id)');
    await run('CREATE INDEX chat_pairs_session ON chat_pairs (session_id)');
  },
};
