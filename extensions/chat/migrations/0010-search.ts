import type { Migration } from '../../../kernel/contract/index.js';

/** Marks all existing messages as not yet indexed. */
const backlog = 'INSERT INTO chat_search_backlog SELECT max(no) FROM chat_messages HAVING max(no) IS NOT NULL';
const numbers = 'SELECT id, row_number() OVER (ORDER BY created_at, id) AS number FROM chat_messages';

/**
 * Creates the search index of messages, and numbers messages for it. Existing messages are indexed later, from the newest to the oldest,
 * down from `next_no`.
 */
export const migration: Migration = {
  name: '0010-search',
  async up({ dialect, run }) {
    await run('ALTER TABLE chat_messages ADD COLUMN no BIGINT');
    await run(`UPDATE chat_messages SET no = o.number FROM (${numbers}) o WHERE o.id = chat_messages.id`);
    await run('CREATE UNIQUE INDEX chat_messages_no ON chat_messages (no)');
    await (dialect === 'postgres' ? forPostgres(run) : forSqlite(run));
    await run('CREATE TABLE chat_search_backlog (next_no BIGINT NOT NULL)');
    await run(backlog);
  },
  async moved({ run }) {
    await run('DELETE FROM chat_search_backlog');
    await run(backlog);
  },
};

async function forPostgres(run: (sql: string) => Promise<void>): Promise<void> {
  await run('CREATE SEQUENCE chat_messages_numbers OWNED BY chat_messages.no');
  await run(`SELECT setval('chat_messages_numbers', (SELECT coalesce(max(no), 0) + 1 FROM chat_messages), false)`);
  await run(`ALTER TABLE chat_messages ALTER COLUMN no SET DEFAULT nextval('chat_messages_numbers'), ALTER COLUMN no SET NOT NULL`);
  await run('CREATE TABLE chat_search (no BIGINT NOT NULL PRIMARY KEY, terms TSVECTOR NOT NULL)');
  // With `fastupdate` most writes would be faster, but a few would merge the pending list and take very long.
  await run('CREATE INDEX chat_search_terms ON chat_search USING gin (terms) WITH (fastupdate = off)');
}

/** Stores neither texts nor positions of terms in the index: matching and highlighting read the messages. */
async function forSqlite(run: (sql: string) => Promise<void>): Promise<void> {
  await run(`CREATE VIRTUAL TABLE chat_search USING fts5 (terms, content = '', contentless_delete = 1, detail = none,
    tokenize = 'ascii tokenchars ''_''')`);
}
