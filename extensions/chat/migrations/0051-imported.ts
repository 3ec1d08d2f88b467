import type { Migration } from '../../../kernel/contract/index.js';

/** Adds the records of exports that were imported, so that a repeated import makes nothing twice. */
export const migration: Migration = {
  name: '0051-imported',
  async up({ run }) {
    await run(`CREATE TABLE chat_imported (
      source VARCHAR(64) NOT NULL,
      kind VARCHAR(16) NOT NULL,
      source_id VARCHAR(200) NOT NULL,
      target VARCHAR(36) NOT NULL,
      PRIMARY KEY (source, kind, source_id)
    )`);
  },
};
