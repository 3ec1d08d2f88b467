import type { Migration } from '../../../kernel/contract/index.js';

/**
 * Lets deletion remove words from the search index. Messages of deleted sessions wait in `chat_search_removals`. On SQLite the earlier index
 * kept the words of deleted messages until it merged its parts, so a new one replaces it, and messages are indexed again in the background.
 */
export const migration: Migration = {
  name: '0050-search-removals',
  async up({ dialect, run }) {
    await run('CREATE TABLE chat_search_removals (no BIGINT NOT NULL PRIMARY KEY)');
    if (dialect !== 'sqlite') return;
    await run('DROP TABLE chat_search');
    // FTS5 finds what to remove by the stored terms. With `detail = none` its `secure-delete` loses documents (SQLite 3.52, `term-index.test`).
    await run(`CREATE VIRTUAL TABLE chat_search USING fts5 (terms, columnsize = 0, detail = column,
      tokenize = 'ascii tokenchars ''_''')`);
    await run("INSERT INTO chat_search (chat_search, rank) VALUES ('secure-delete', 1)");
    await run('DELETE FROM chat_search_backlog');
    await run('INSERT INTO chat_search_backlog SELECT max(no) FROM chat_messages HAVING max(no) IS NOT NULL');
  },
};
