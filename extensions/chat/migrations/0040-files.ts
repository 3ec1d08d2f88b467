import type { Migration } from '../../../kernel/contract/index.js';

/** Adds files to messages. Their bytes are blobs of the platform. */
export const migration: Migration = {
  name: '0040-files',
  async up({ run }) {
    await run("ALTER TABLE chat_messages ADD COLUMN files TEXT NOT NULL DEFAULT '[]'");
    await run(`CREATE TABLE chat_files (
      id VARCHAR(36) NOT NULL PRIMARY KEY,
      uploader_id INTEGER,
      name VARCHAR(200) NOT NULL,
      mime_type VARCHAR(100) NOT NULL,
      bytes BIGINT NOT NULL,
      hash VARCHAR(64) NOT NULL,
      unsent_since VARCHAR(24)
    )`);
    await run('CREATE INDEX chat_files_uploader ON chat_files (uploader_id)');
    await run('CREATE INDEX chat_files_unsent ON chat_files (unsent_since) WHERE unsent_since IS NOT NULL');
    await run(`CREATE TABLE chat_message_files (
      file_id VARCHAR(36) NOT NULL,
      message_id VARCHAR(36) NOT NULL,
      session_id VARCHAR(36) NOT NULL,
      PRIMARY KEY (file_id, message_id)
    )`);
    await run('CREATE INDEX chat_message_files_message ON chat_message_files (message_id)');
    await run('CREATE INDEX chat_message_files_session ON chat_message_files (session_id)');
  },
};
