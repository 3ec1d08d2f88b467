import type { DataTypes, Model, ModelStatic } from 'sequelize';
import type { Column, ColumnOptions, ColumnTypes } from '../../contract/models.js';

type Types = typeof DataTypes;

/** The types of columns, made of Sequelize's. */
export function columnTypes(types: Types): ColumnTypes {
  const of =
    (type: Column['type']) =>
    (options: ColumnOptions = {}): Column => ({ allowNull: false, ...options, type });
  const string = (length: number, options?: ColumnOptions): Column => of(types.STRING(length))(options);
  return {
    string,
    text: of(types.TEXT),
    integer: of(types.INTEGER),
    bigint: of(types.BIGINT),
    boolean: of(types.BOOLEAN),
    blob: of(types.BLOB),
    json: of(types.JSON),
    time: (options?: ColumnOptions) => string(24, options),
  } as ColumnTypes;
}

type Parse = (value: unknown) => unknown;

/** Parsers for types that a database stores as another one: SQLite has no booleans, and JSON lies in text. */
const parsers: Readonly<Record<string, Parse>> = {
  BOOLEAN: Boolean,
  JSON: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
};

const known = new WeakMap<ModelStatic<Model>, readonly (readonly [column: string, Parse])[]>();

/** Gives the values of rows, as a driver read them, the JavaScript types that the model's columns have. Changes the rows. */
export function parseRows<Row extends object>(model: ModelStatic<Model> | undefined, rows: Row[]): Row[] {
  const parsed = model ? parsedColumns(model) : [];
  if (parsed.length === 0) return rows;
  for (const row of rows as Record<string, unknown>[])
    for (const [column, parse] of parsed) if (row[column] != null) row[column] = parse(row[column]);
  return rows;
}

function parsedColumns(model: ModelStatic<Model>): readonly (readonly [column: string, Parse])[] {
  const found =
    known.get(model) ??
    Object.entries(model.getAttributes()).flatMap(([column, { type }]) => {
      const parse = typeof type === 'string' ? undefined : parsers[type.key];
      return parse ? [[column, parse] as const] : [];
    });
  known.set(model, found);
  return found;
}
