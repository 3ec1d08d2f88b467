import type { Migration } from '../../../kernel/contract/index.js';

/** Default AI employee. Its single row also marks that the first start has happened. */
export const migration: Migration = {
  name: '0001-agents',
  async up({ run }) {
    await run('CREATE TABLE agents_default (id INTEGER NOT NULL PRIMARY KEY, member_id INTEGER)');
  },
};
