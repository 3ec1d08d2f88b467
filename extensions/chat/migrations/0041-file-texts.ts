import type { Migration } from '../../../kernel/contract/index.js';

/** Adds the beginnings of files' texts, which search finds. Files that were sent before are read in the background. */
export const migration: Migration = {
  name: '0041-file-texts',
  async up({ run }) {
    await run(`CREATE TABLE chat_file_texts (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      text TEXT,
      waiting INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      owner VARCHAR(64),
      lease_until BIGINT NOT NULL
    )`);
    await run('CREATE INDEX chat_file_texts_waiting ON chat_file_texts (id) WHERE waiting = 1');
    await run(`INSERT INTO chat_file_texts (id, waiting, attempts, lease_until)
      SELECT id, 1, 0, 0 FROM chat_files WHERE unsent_since IS NULL`);
  },
};
