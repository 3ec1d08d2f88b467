import type { Migration } from '../../../kernel/contract/index.js';

/** Who answers where nobody is named. Its one row is also the mark that the first start has been. */
export const migration: Migration = {
  name: '0001-agents',
  async up({ run }) {
    await run('CREATE TABLE agents_default (id INTEGER NOT NULL PRIMARY KEY, member_id INTEGER)');
  },
};
