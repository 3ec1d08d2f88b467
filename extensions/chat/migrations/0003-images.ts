import type { Migration } from '../../../kernel/contract/index.js';

/** Images of sessions; their bytes are blobs of the platform. */
export const migration: Migration = {
  name: '0003-images',
  async up({ run }) {
    await run(`CREATE TABLE chat_images (
      session_id VARCHAR(36) NOT NULL,
      hash VARCHAR(64) NOT NULL,
      mime_type VARCHAR(32) NOT NULL,
      PRIMARY KEY (session_id, hash)
    )`);
    await run('CREATE INDEX chat_images_hash ON chat_images (hash)');
  },
};
