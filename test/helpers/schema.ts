import type { Database } from '../../kernel/contract/index.js';
import { readSchema } from '../../kernel/platform/data/postgres/schema.js';

/** Everything that the tables of an installation are made of, as lines of text in a fixed order. */
export async function schemaOf(db: Pick<Database, 'dialect' | 'rows'>): Promise<string> {
  const parts = db.dialect === 'postgres' ? await postgresSchema(db) : await sqliteSchema(db);
  return `${parts.join('\n')}\n`;
}

type Rows = Pick<Database, 'rows'>;

async function postgresSchema(db: Rows): Promise<string[]> {
  const { before, after } = await readSchema((sql, values) => db.rows(sql, values));
  return [...before.map((sql) => sql.replaceAll(', ', ',\n  ')), ...after.filter((sql) => !sql.startsWith('SELECT setval'))];
}

async function sqliteSchema(db: Rows): Promise<string[]> {
  // The tables behind a search index follow from it.
  const tables = await db.rows<{ name: string; type: string; sql: string }>(
    `SELECT l.name, l.type, m.sql FROM pragma_table_list l JOIN sqlite_master m ON m.type = 'table' AND m.name = l.name
     WHERE l.schema = 'main' AND l.type IN ('table', 'virtual') AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY l.name`,
  );
  const lines: string[] = [];
  for (const { name, type, sql } of tables) {
    if (type === 'virtual') lines.push(plain(sql));
    else lines.push(`table ${name}${/\bAUTOINCREMENT\b/i.test(sql) ? ' autoincrement' : ''}${checksIn(sql)}`, ...(await partsOf(db, name)));
  }
  const others = await db.rows<{ sql: string }>("SELECT sql FROM sqlite_master WHERE type IN ('trigger', 'view') ORDER BY name");
  return [...lines, ...others.map(({ sql }) => plain(sql))];
}

/** The columns of a table, then its foreign keys and its indexes, by name. */
async function partsOf(db: Rows, table: string): Promise<string[]> {
  const columns = await db.rows<Column>('SELECT * FROM pragma_table_xinfo($1) ORDER BY cid', [table]);
  const keys = await db.rows<ForeignKey>('SELECT * FROM pragma_foreign_key_list($1)', [table]);
  const indexes = await db.rows<{ name: string; unique: number; origin: string; sql: string | null }>(
    'SELECT l.name, l."unique", l.origin, m.sql FROM pragma_index_list($1) l LEFT JOIN sqlite_master m ON m.name = l.name',
    [table],
  );
  const found: string[] = [];
  for (const { name, unique, origin, sql } of indexes) {
    const parts = await db.rows<IndexPart>('SELECT * FROM pragma_index_xinfo($1) WHERE "key" = 1 ORDER BY seqno', [name]);
    // The names of those that come with a constraint number it.
    const title = { pk: 'primary key', u: 'unique' }[origin] ?? `index ${name}${unique === 1 ? ' unique' : ''}`;
    const where = /\bWHERE\b.*$/is.exec(sql ?? '')?.[0] ?? '';
    found.push(`${title} (${parts.map(indexPart).join(', ')}) ${plain(where)}`.trimEnd());
  }
  const references = keys.map((key) => `foreign key ${key.from} -> ${key.table}.${key.to} ${key.on_update} ${key.on_delete} ${key.match}`);
  return [...columns.map(columnOf), ...references.sort(), ...found.sort()].map((line) => `  ${line}`);
}

interface Column {
  name: string;
  type: string;
  notnull: number;
  dflt_value: string | null;
  pk: number;
  hidden: number;
}

function columnOf({ name, type, notnull, dflt_value, pk, hidden }: Column): string {
  const parts = [name, type, notnull === 1 && 'NOT NULL', dflt_value !== null && `DEFAULT ${dflt_value}`];
  return [...parts, pk > 0 && `key ${pk}`, hidden > 0 && `computed ${hidden}`].filter((part) => part !== false).join(' ');
}

interface ForeignKey {
  from: string;
  table: string;
  to: string | null;
  on_update: string;
  on_delete: string;
  match: string;
}

interface IndexPart {
  /** Null for an expression. */
  name: string | null;
  desc: number;
  coll: string;
}

function indexPart({ name, desc, coll }: IndexPart): string {
  return `${name ?? 'expression'}${coll === 'BINARY' ? '' : ` ${coll}`}${desc === 1 ? ' DESC' : ''}`;
}

/** Conditions and collations that only the statement itself shows. */
function checksIn(sql: string): string {
  return [...sql.matchAll(/\b(?:CHECK\s*\([^)]*\)+|COLLATE\s+\w+|GENERATED\s[^,]*)/gi)].map(([found]) => ` ${plain(found)}`).join('');
}

function plain(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim();
}
