import { readdirSync } from 'node:fs';
import type { Model, ModelStatic } from 'sequelize';
import t, { type Test } from 'tap';
import type { Database, Migration } from '../../../../kernel/contract/index.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachDatabase } from '../../../helpers/databases.js';

const extensions = new URL('../../../../extensions/', import.meta.url);
const files = readdirSync(extensions, { recursive: true, encoding: 'utf8' });
const withModels = files.filter((file) => /^[\w-]+\/models\.js$/.test(file)).map((file) => file.split('/')[0] as string);

type Row = Record<string, unknown>;
type TableOf = ModelStatic<Model<Row, Row>>;

/** Migrates an extension's tables and gives its models; the kernel's are migrated already. */
async function modelsOf(id: string, data: Data): Promise<{ db: Database; models: [string, TableOf][] }> {
  if (id === 'kernel') return { db: data.facade(id), models: Object.entries(data.models) as unknown as [string, TableOf][] };
  const { default: extension } = (await import(new URL(`${id}/index.js`, extensions).href)) as { default: { migrations: Migration[] } };
  const { defineModels } = (await import(new URL(`${id}/models.js`, extensions).href)) as {
    defineModels: (db: Database) => Record<string, TableOf>;
  };
  await data.migrate(id, extension.migrations);
  const db = data.facade(id);
  return { db, models: Object.entries(defineModels(db)) };
}

async function eachModel(t: Test, work: (t: Test, db: Database, model: TableOf) => Promise<void>): Promise<void> {
  await eachDatabase(t, async (t, data) => {
    t.ok(withModels.length > 0);
    for (const id of ['kernel', ...withModels]) {
      const { db, models } = await modelsOf(id, data);
      for (const [, model] of models) await work(t, db, model);
    }
  });
}

t.test('every model declares the columns, defaults, references and indexes that its table has after all migrations', (t) =>
  eachModel(t, async (t, db, model) => {
    const table = model.name;
    const found = db.dialect === 'sqlite' ? await sqliteTable(db, table) : await postgresTable(db, table);
    t.strictSame(declared(db, model), found, table);
  }),
);

t.test('every column of every model gives back the values that it was given, in the same types on both databases', (t) =>
  eachModel(t, async (t, db, model) => {
    const rows = edgeRows(model);
    const rolledBack = new Error('the rows are not kept');
    const work = db.transaction(async () => {
      // The rows refer to members and others that do not exist.
      await db.run(db.dialect === 'sqlite' ? 'PRAGMA defer_foreign_keys = ON' : 'SET LOCAL session_replication_role = replica');
      // Some tables have rows since their migration.
      await model.destroy({ where: {} });
      const created: Row[] = [];
      for (const row of rows) created.push((await model.create(row)).get({ plain: true }));
      const order = model.primaryKeyAttributes as string[];
      t.strictSame(sorted(created, order), sorted(rows, order), `${model.name}: what create() gives`);
      t.strictSame(sorted(await model.findAll({ raw: true }), order), sorted(rows, order), `${model.name}: rows`);
      const instances = (await model.findAll()).map((instance) => instance.get({ plain: true }));
      t.strictSame(sorted(instances, order), sorted(rows, order), `${model.name}: instances`);
      t.strictSame(
        sorted(await db.rows<Row>(`SELECT * FROM ${model.name}`, [], { model }), order),
        sorted(rows, order),
        `${model.name}: SQL`,
      );
      throw rolledBack;
    });
    await t.rejects(work, rolledBack);
  }),
);

function sorted(rows: readonly object[], by: readonly string[]): Row[] {
  const key = (row: Row) => by.map((column) => String(row[column])).join('\n');
  return rows
    .map((row) => Object.fromEntries(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1))))
    .sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

/** As many rows as the column with the most edge values needs. */
function edgeRows(model: TableOf): Row[] {
  const columns = Object.entries(model.getAttributes()).map(([name, attribute]) => {
    const { key, _length } = attribute.type as unknown as { key: string; _length?: number };
    const edges = [...(edgesOf(key, _length) as unknown[]), ...(attribute.allowNull === true ? [null] : [])];
    const isUnique = attribute.primaryKey === true || attribute.unique === true || uniqueByIndex(model, name);
    return { name, edges, isUnique, isText: key === 'STRING' || key === 'TEXT' };
  });
  const count = Math.max(...columns.map(({ edges }) => edges.length));
  return Array.from({ length: count }, (_, n) =>
    Object.fromEntries(
      columns.map(({ name, edges, isUnique, isText }) => {
        if (!isUnique) return [name, edges[n % edges.length]];
        return [name, isText ? `é${n}` : n + 1];
      }),
    ),
  );
}

function uniqueByIndex(model: TableOf, column: string): boolean {
  return (model.options.indexes ?? []).some(({ unique, fields }) => unique === true && fields?.includes(column));
}

function edgesOf(key: string, length = 10_000): readonly unknown[] {
  switch (key) {
    case 'STRING':
    case 'TEXT':
      return ['', '汉'.repeat(length), '\'\\"$1 :x ? \n é'].map((text) => Array.from(text).slice(0, length).join(''));
    case 'INTEGER':
      return [0, -1, 2 ** 31 - 1];
    case 'BIGINT':
      return [0, -1, Number.MAX_SAFE_INTEGER];
    case 'BOOLEAN':
      return [true, false];
    case 'BLOB':
      return [Buffer.from([]), Buffer.from([0, 255, 39])];
    case 'JSON':
      return [{ a: [1, null, 'é"\''], b: {} }, [], '', 'text', 0, false, { size: Number.MAX_SAFE_INTEGER }];
    default:
      throw new Error(`No edge values are known for ${key}`);
  }
}

interface Found {
  columns: Record<string, string>;
  primary: string[];
  references: string[];
  indexes: string[];
}

function declared(db: Database, model: TableOf): Found {
  const attributes = Object.entries(model.getAttributes());
  const columns = attributes.map(([name, { type, allowNull, defaultValue, primaryKey, autoIncrement }]) => {
    const isNull = allowNull === true && primaryKey !== true;
    // Only an INTEGER is a row's number on SQLite, and it is as large as a BIGINT there.
    const stored = db.dialect === 'sqlite' && autoIncrement === true ? 'INTEGER' : storedType(String(type));
    return [
      name,
      column(stored, isNull, autoIncrement === true ? undefined : String(type) === 'JSON' ? JSON.stringify(defaultValue) : defaultValue),
    ] as const;
  });
  const references = attributes.flatMap(([name, { references, onDelete }]) => {
    if (references === undefined) return [];
    const { model: table, key } = references as unknown as { model: string; key: string };
    return [`${name} -> ${table}.${key} on delete ${onDelete ?? 'NO ACTION'}`];
  });
  const unique = attributes.filter(([, attribute]) => attribute.unique === true).map(([name]) => `unique (${name})`);
  const indexes = (model.options.indexes ?? []).map(({ name, unique: isUnique, fields = [], where }) => {
    const parts = fields.map((field) => {
      if (typeof field === 'string') return field;
      const { name: part, collate, order } = field as { name: string; collate?: string; order?: string };
      return `${part}${collate === undefined ? '' : ` COLLATE ${collate}`}${order === undefined ? '' : ` ${order}`}`;
    });
    return `${name}${isUnique === true ? ' unique' : ''} (${parts.join(', ')})${where === undefined ? '' : ' where'}`;
  });
  const primary = attributes.filter(([, { primaryKey }]) => primaryKey === true).map(([name]) => name);
  return found(columns, primary, references, [...unique, ...indexes]);
}

/** JSON lies in text, and both databases know the name BOOLEAN. */
function storedType(type: string): string {
  return { 'TINYINT(1)': 'BOOLEAN', JSON: 'TEXT', BYTEA: 'BLOB' }[type] ?? type;
}

function column(type: string, isNull: boolean, defaultValue: unknown): string {
  return `${type}${isNull ? '' : ' NOT NULL'}${defaultValue == null ? '' : ` DEFAULT ${String(defaultValue)}`}`;
}

function found(columns: readonly (readonly [string, string])[], primary: string[], references: string[], indexes: string[]): Found {
  const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) => (a < b ? -1 : 1);
  return {
    columns: Object.fromEntries([...columns].sort(byName)),
    primary: primary.sort(),
    references: references.sort(),
    indexes: indexes.sort(),
  };
}

/** The value of a default, as SQL has it. */
function plainDefault(sql: string | null): string | undefined {
  if (sql === null || /^nextval/.test(sql)) return undefined;
  const plain = sql.replace(/::[a-z ]+(\(\d+\))?$/, '');
  return /^(true|false)$/i.test(plain) ? plain.toLowerCase() : plain.replace(/^'(.*)'$/, '$1');
}

async function sqliteTable(db: Database, table: string): Promise<Found> {
  type Info = { name: string; type: string; notnull: number; dflt_value: string | null; pk: number };
  const info = await db.rows<Info>(`SELECT * FROM pragma_table_info('${table}')`);
  const keys = await db.rows<{ from: string; table: string; to: string; on_delete: string }>(
    `SELECT "from", "table", "to", on_delete FROM pragma_foreign_key_list('${table}')`,
  );
  const list = await db.rows<{ name: string; unique: number; origin: string; sql: string | null }>(
    `SELECT l.name, l."unique", l.origin, m.sql FROM pragma_index_list('${table}') l LEFT JOIN sqlite_master m ON m.name = l.name`,
  );
  const indexes: string[] = [];
  for (const { name, unique, origin, sql } of list) {
    if (origin === 'pk') continue;
    const columns = await db.rows<{ name: string }>(`SELECT name FROM pragma_index_info('${name}') ORDER BY seqno`);
    indexes.push(origin === 'u' ? `unique (${columns.map((each) => each.name).join(', ')})` : indexOf(name, unique === 1, sql ?? ''));
  }
  return found(
    info.map(
      ({ name, type, notnull, dflt_value, pk }) => [name, column(type, notnull === 0 && pk === 0, plainDefault(dflt_value))] as const,
    ),
    info.filter(({ pk }) => pk > 0).map(({ name }) => name),
    keys.map((key) => `${key.from} -> ${key.table}.${key.to} on delete ${key.on_delete}`),
    indexes,
  );
}

/** Reads an index from the statement that makes it. */
function indexOf(name: string, isUnique: boolean, sql: string): string {
  const [, parts = '', where = ''] = /\((.*?)\)\s*(where\b.*)?$/is.exec(sql.slice(sql.indexOf('('))) ?? [];
  return `${name}${isUnique ? ' unique' : ''} (${parts.replace(/\s+/g, ' ').replaceAll('"', '').trim()})${where === '' ? '' : ' where'}`;
}

async function postgresTable(db: Database, table: string): Promise<Found> {
  const info = await db.rows<{ name: string; type: string; nullable: boolean; standard: string | null; primary: boolean }>(
    `SELECT a.attname AS name, upper(replace(format_type(a.atttypid, a.atttypmod), 'character varying', 'VARCHAR')) AS type,
       NOT a.attnotnull AS nullable, pg_get_expr(d.adbin, d.adrelid) AS standard,
       EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary AND a.attnum = ANY (i.indkey)) AS primary
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
    [table],
  );
  const keys = await db.rows<{ definition: string }>(
    "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conrelid = $1::regclass AND contype = 'f'",
    [table],
  );
  const list = await db.rows<{ name: string; unique: boolean; constraint: boolean; sql: string }>(
    `SELECT c.relname AS name, i.indisunique AS unique, pg_get_indexdef(c.oid) AS sql,
       EXISTS (SELECT 1 FROM pg_constraint o WHERE o.conindid = c.oid AND o.contype = 'u') AS constraint
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE i.indrelid = $1::regclass AND NOT i.indisprimary`,
    [table],
  );
  return found(
    info.map(({ name, type, nullable, standard }) => [name, column(storedType(type), nullable, plainDefault(standard))] as const),
    info.filter(({ primary }) => primary).map(({ name }) => name),
    keys.map(({ definition }) => {
      const [, from, to, key, action = 'NO ACTION'] = /\((\w+)\) REFERENCES (\w+)\((\w+)\)(?: ON DELETE (.*))?$/.exec(definition) ?? [];
      return `${from} -> ${to}.${key} on delete ${action}`;
    }),
    list.map(({ name, unique, constraint, sql }) => {
      const whole = indexOf(name, unique, sql);
      return constraint ? whole.replace(/^\S+ unique/, 'unique') : whole;
    }),
  );
}
