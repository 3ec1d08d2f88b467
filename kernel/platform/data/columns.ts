import type { DataTypes, Model, ModelStatic } from 'sequelize';
import type { Column, ColumnOptions, ColumnTypes } from '../../contract/models.js';

type Types = typeof DataTypes;

/** Returns the column types, made from Sequelize's. */
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

/** Parsers for types that a database stores as another type: SQLite has no booleans and stores JSON as text. */
const parsers: Readonly<Record<string, Parse>> = {
  BOOLEAN: Boolean,
  JSON: (value) => (typeof value === 'string' ? JSON.parse(value) : value),
};

const known = new WeakMap<ModelStatic<Model>, readonly (readonly [column: string, Parse])[]>();

/** Converts values of rows, as read by a driver, to the JavaScript types of the model's columns. Changes the rows. */
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
