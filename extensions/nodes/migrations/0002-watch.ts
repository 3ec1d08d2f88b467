import type { Migration } from '../../../kernel/contract/index.js';

/** Instance that watches the engines for all: one row, held by a lease, in milliseconds since the epoch. */
export const migration: Migration = {
  name: '0002-watch',
  async up({ run }) {
    await run('CREATE TABLE nodes_watch (id INTEGER PRIMARY KEY, owner VARCHAR(64), lease_until BIGINT)');
    await run('INSERT INTO nodes_watch (id) VALUES (1)');
  },
};
