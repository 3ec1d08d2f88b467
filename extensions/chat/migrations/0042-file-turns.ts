import type { Migration } from '../../../kernel/contract/index.js';

/** Orders the files that wait to be read by their members in turn. Those that wait already get a turn each. */
export const migration: Migration = {
  name: '0042-file-turns',
  async up({ run }) {
    await run('ALTER TABLE chat_file_texts ADD COLUMN uploader_id INTEGER');
    await run('ALTER TABLE chat_file_texts ADD COLUMN turn INTEGER NOT NULL DEFAULT 0');
    await run(`UPDATE chat_file_texts SET uploader_id = w.uploader_id, turn = w.turn FROM (
        SELECT t.id AS waiting_id, f.uploader_id, ROW_NUMBER() OVER (PARTITION BY f.uploader_id ORDER BY t.id) - 1 AS turn
        FROM chat_file_texts t JOIN chat_files f ON f.id = t.id WHERE t.waiting = 1
      ) w WHERE id = w.waiting_id`);
    await run('DROP INDEX chat_file_texts_waiting');
    await run('CREATE INDEX chat_file_texts_waiting ON chat_file_texts (turn, id) WHERE waiting = 1');
    await run('CREATE INDEX chat_file_texts_uploader ON chat_file_texts (uploader_id, turn) WHERE waiting = 1');
  },
};
