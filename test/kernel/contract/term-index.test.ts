import t from 'tap';
import { type Database, termIndex } from '../../../kernel/contract/index.js';
import { eachDatabase } from '../../helpers/databases.js';

const tables = {
  sqlite: `CREATE VIRTUAL TABLE hello_terms USING fts5 (terms, columnsize = 0, detail = column, tokenize = 'ascii tokenchars ''_''')`,
  postgres: 'CREATE TABLE hello_terms (no BIGINT NOT NULL PRIMARY KEY, terms TSVECTOR NOT NULL)',
};

async function indexIn(db: Database) {
  await db.run(tables[db.dialect]);
  if (db.dialect === 'sqlite') await db.run("INSERT INTO hello_terms (hello_terms, rank) VALUES ('secure-delete', 1)");
  return termIndex(db, 'hello_terms');
}

t.test('numbers are found by all terms and prefixes of a query, largest first, across queries', (t) =>
  eachDatabase(t, async (t, data) => {
    const index = await indexIn(data.facade('hello'));
    await index.put([]);
    await index.put([
      { no: 1, terms: 'a_red a_round' },
      { no: 2, terms: 'a_red b_round' },
      { no: 3, terms: 'a_reddish a_round' },
      { no: 9, terms: 'b_red' },
    ]);
    const find = (queries: string[], more: object = {}) => index.find({ queries, before: 100, limit: 10, ...more });
    t.same(await find([index.query(['a_red'], [])]), [2, 1]);
    t.same(await find([index.query([], ['a_red'])]), [3, 2, 1]);
    t.same(await find([index.query(['a_round'], ['a_red'])]), [3, 1]);
    t.same(await find([index.query(['b_red'], []), index.query(['a_red'], [])]), [9, 2, 1]);
    t.same(await find([index.query([], ['a_red'])], { limit: 2 }), [3, 2]);
    t.same(await find([index.query([], ['a_red'])], { before: 3 }), [2, 1]);
    t.same(await find([index.query([], ['a_red'])], { only: { sql: (no: string) => `${no} <> CAST($4 AS INTEGER)`, value: 2 } }), [3, 1]);
  }),
);

t.test('adding a number again replaces its terms, and the number column is named', (t) =>
  eachDatabase(t, async (t, data) => {
    const db = data.facade('hello');
    const index = await indexIn(db);
    const find = (term: string) => index.find({ queries: [index.query([term], [])], before: 100, limit: 10 });
    await index.put([{ no: 1, terms: 'old' }]);
    await index.put([{ no: 1, terms: 'new' }]);
    t.same([await find('old'), await find('new')], [[], [1]]);
    await db.run(`DELETE FROM hello_terms WHERE ${index.key} = 1`);
    t.same(await find('new'), []);
  }),
);

t.test('numbers that share a term stay when one of them is replaced in the same transaction', (t) =>
  eachDatabase(t, async (t, data) => {
    const db = data.facade('hello');
    const index = await indexIn(db);
    const find = (term: string) => index.find({ queries: [index.query([term], [])], before: 100, limit: 10 });
    await index.put([{ no: 1, terms: 'red old' }]);
    await db.transaction(async () => {
      await index.put([{ no: 1, terms: 'red new' }]);
      await index.put([
        { no: 2, terms: 'red' },
        { no: 3, terms: 'red new' },
      ]);
    });
    t.same([await find('red'), await find('new'), await find('old')], [[3, 2, 1], [3, 1], []]);
  }),
);
