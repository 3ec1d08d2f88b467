import type { Migration } from '../../../kernel/contract/index.js';

/** Name of an image's blob, which is the end of the image's address. */
const hash = `substr(i.value ->> 'url', length('/api/chat/images/') + 1)`;
const written = `SELECT sender_id, sum(octet_length(content) + image_bytes) FROM chat_messages
  WHERE role = 'user' AND sender_id IS NOT NULL GROUP BY sender_id`;

/** Counts the bytes of texts and images in each member's messages, and creates the table of uploaded images that no message has yet. */
export const migration: Migration = {
  name: '0022-usage',
  async up({ dialect, run }) {
    const images = dialect === 'postgres' ? 'jsonb_array_elements(CAST(images AS jsonb)) AS i (value)' : 'json_each(images) AS i';
    await run('ALTER TABLE chat_messages ADD COLUMN image_bytes BIGINT NOT NULL DEFAULT 0');
    await run(`UPDATE chat_messages SET image_bytes = (SELECT coalesce(sum(b.bytes), 0) FROM ${images} JOIN kernel_blobs b ON b.hash = ${hash})
      WHERE images <> '[]'`);
    await run('CREATE TABLE chat_usage (member_id INTEGER NOT NULL PRIMARY KEY, bytes BIGINT NOT NULL)');
    await run(`INSERT INTO chat_usage (member_id, bytes) ${written}`);
    await run(`CREATE TABLE chat_uploads (
      member_id INTEGER NOT NULL,
      hash VARCHAR(64) NOT NULL,
      bytes BIGINT NOT NULL,
      created_at VARCHAR(24) NOT NULL,
      PRIMARY KEY (member_id, hash)
    )`);
    await run('CREATE INDEX chat_uploads_age ON chat_uploads (created_at)');
  },
};
