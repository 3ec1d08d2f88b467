import type { Attributes, Model, ModelAttributeColumnOptions, ModelStatic, Sequelize, Op as SequelizeOp } from 'sequelize';

declare const valueType: unique symbol;
declare const isOptional: unique symbol;

/** A column as Sequelize's options, with the JavaScript type of its values, which is the same on both databases. */
export interface Column<T = unknown, Optional extends boolean = boolean> extends ModelAttributeColumnOptions {
  readonly [valueType]?: T;
  readonly [isOptional]?: Optional;
}

/** Sequelize's options of a column, without its type. Unlike in Sequelize a column is `NOT NULL` unless it has `allowNull: true`. */
export type ColumnOptions = Omit<ModelAttributeColumnOptions, 'type'>;

/** Creates a column. A row may be created without its value if it allows null, has a default, or is numbered by the database. */
interface MakeColumn<Base> {
  <T extends Base = Base>(options: ColumnOptions & { allowNull: true }): Column<T | null, true>;
  <T extends Base = Base>(options: ColumnOptions & ({ defaultValue: T } | { autoIncrement: true })): Column<T, true>;
  <T extends Base = Base>(options?: ColumnOptions): Column<T, false>;
}

/** {@link MakeColumn} for text of at most `length` characters, which PostgreSQL enforces and SQLite does not. */
interface MakeStringColumn {
  <T extends string = string>(length: number, options: ColumnOptions & { allowNull: true }): Column<T | null, true>;
  <T extends string = string>(length: number, options: ColumnOptions & { defaultValue: T }): Column<T, true>;
  <T extends string = string>(length: number, options?: ColumnOptions): Column<T, false>;
}

/** The types of columns. Values have the same JavaScript type on both databases, also with `raw: true`. */
export interface ColumnTypes {
  readonly string: MakeStringColumn;
  readonly text: MakeColumn<string>;
  readonly integer: MakeColumn<number>;
  /** Exact up to 2^53-1. */
  readonly bigint: MakeColumn<number>;
  readonly boolean: MakeColumn<boolean>;
  readonly blob: MakeColumn<Buffer>;
  /** JSON in a text column. SQL can't query its content. */
  readonly json: MakeColumn<unknown>;
  /** An ISO 8601 time in UTC with milliseconds: 24 characters, which sort by time. */
  readonly time: MakeColumn<string>;
}

export type Columns = Readonly<Record<string, Column>>;

type Values<C extends Columns> = { -readonly [K in keyof C]: C[K] extends Column<infer T, boolean> ? T : never };
type OptionalKeys<C extends Columns> = { [K in keyof C]: C[K] extends Column<unknown, false> ? never : K }[keyof C];
type Creation<C extends Columns> = Omit<Values<C>, OptionalKeys<C>> & Partial<Pick<Values<C>, OptionalKeys<C>>>;

/** Sequelize's model of a table with these columns. */
export type TableModel<C extends Columns> = ModelStatic<Model<Values<C>, Creation<C>> & Values<C>>;

/** A row as a model reads it with `raw: true`. */
export type RowOf<M extends ModelStatic<Model>> = Attributes<InstanceType<M>>;

/** Sequelize's functions for aggregates and conditions: `fn('max', col('used_at'))`. */
export type Expressions = Pick<Sequelize, 'fn' | 'col' | 'where' | 'cast'>;

const operators = ['and', 'between', 'eq', 'gt', 'gte', 'in', 'is', 'like', 'lt', 'lte', 'ne', 'not', 'notIn', 'or'] as const;

/** Sequelize's operators for conditions. They are registered symbols, so Sequelize needn't be loaded for them. */
export const Op = Object.fromEntries(operators.map((name) => [name, Symbol.for(name)])) as unknown as Pick<
  typeof SequelizeOp,
  (typeof operators)[number]
>;
