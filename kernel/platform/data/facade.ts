import assert from 'node:assert/strict';
import type { Model, ModelAttributes, ModelOptions, ModelStatic, Sequelize } from 'sequelize';
import type { Database, Query, SqlValue, StatementOptions } from '../../contract/data.js';
import type { Disposable } from '../../contract/extension.js';
import type { Columns, ColumnTypes, Expressions, TableModel } from '../../contract/models.js';
import { parseRows } from './columns.js';
import type { Driver } from './driver.js';
import type { Orm } from './orm.js';
import type { Transactions } from './transactions.js';

export interface FacadeParts {
  driver: Driver;
  transactions: Transactions;
  /** Loads Sequelize at the first call. */
  orm: () => Orm;
}

/** Access of one extension to the database. Disposal removes its models from Sequelize's registry. */
export class Facade implements Database, Disposable {
  readonly #extension: string;
  readonly #driver: Driver;
  readonly #transactions: Transactions;
  readonly #orm: () => Orm;
  readonly #models: ModelStatic<Model>[] = [];

  constructor(extension: string, { driver, transactions, orm }: FacadeParts) {
    this.#extension = extension;
    this.#driver = driver;
    this.#transactions = transactions;
    this.#orm = orm;
  }

  get dialect(): 'sqlite' | 'postgres' {
    return this.#driver.dialect;
  }

  get inTransaction(): boolean {
    return this.#transactions.current?.open ?? false;
  }

  get columns(): ColumnTypes {
    return this.#orm().columns;
  }

  get expressions(): Expressions {
    return this.#orm().sequelize;
  }

  define<C extends Columns>(name: string, columns: C, options: ModelOptions = {}): TableModel<C> {
    assert(/^[a-z][a-z0-9_]*$/.test(name), `A model's name must be lower snake_case, but is '${name}'`);
    assert(options.tableName === undefined, `The table of model '${name}' is named after the extension; leave tableName out`);
    const tableName = `${this.#extension.replaceAll(/[^a-z0-9]/g, '_')}_${name}`;
    const model = this.#orm().sequelize.define(tableName, columns as ModelAttributes, { ...options, tableName });
    this.#models.push(model);
    return model as unknown as TableModel<C>;
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#transactions.run(work);
  }

  afterCommit(work: () => void): void {
    this.#transactions.afterCommit(work);
  }

  prepare<Row extends object>(sql: string, { model }: Pick<StatementOptions, 'model'> = {}): Query<Row> {
    const query = this.#transactions.prepare<Row>(sql);
    if (!model) return query;
    const all = async (...values: SqlValue[]) => parseRows(model, await query.all(...values));
    return { all, get: async (...values) => (await all(...values))[0] };
  }

  async rows<Row extends object>(sql: string, values: readonly SqlValue[] = [], options?: StatementOptions): Promise<Row[]> {
    const rows = await this.#transactions.statement(sql, (connection) => connection.rows<Row>(sql, values, options));
    return parseRows(options?.model, rows);
  }

  run(sql: string, values: readonly SqlValue[] = [], options?: StatementOptions): Promise<number> {
    return this.#transactions.statement(sql, (connection) => connection.run(sql, values, options));
  }

  dispose(): void {
    for (const model of this.#models.splice(0)) removeModel(this.#orm().sequelize, model);
  }
}

/** Removes a model, unless a newer version of the extension has defined the same name since. */
function removeModel(orm: Sequelize, model: ModelStatic<Model>): void {
  if (orm.models[model.name] === model) orm.modelManager.removeModel(model);
}
