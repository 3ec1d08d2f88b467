import assert from 'node:assert/strict';
import type { Model, ModelAttributes, ModelOptions, ModelStatic, Sequelize } from 'sequelize';
import type { Database, Query, SqlValue, StatementOptions } from '../../contract/data.js';
import type { Disposable } from '../../contract/extension.js';
import type { Driver } from './driver.js';
import type { Transactions } from './transactions.js';

export interface Parts {
  driver: Driver;
  transactions: Transactions;
  /** Loaded at the first call. */
  orm: () => Sequelize;
}

/** An extension's part of the database; its disposal takes its models out of the registry. */
export class Facade implements Database, Disposable {
  readonly #extension: string;
  readonly #driver: Driver;
  readonly #transactions: Transactions;
  readonly #orm: () => Sequelize;
  readonly #models: ModelStatic<Model>[] = [];

  constructor(extension: string, { driver, transactions, orm }: Parts) {
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

  define<M extends Model>(name: string, attributes: ModelAttributes<M>, options: ModelOptions<M> = {}): ModelStatic<M> {
    assert(/^[a-z][a-z0-9_]*$/.test(name), `A model's name is lower snake_case, but is '${name}'`);
    assert(options.tableName === undefined, `The table of model '${name}' has the extension's name before it; leave tableName out`);
    const full = tableName(this.#extension, name);
    const model = this.#orm().define<M>(full, attributes, { ...options, tableName: full });
    this.#models.push(model as ModelStatic<Model>);
    return model;
  }

  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#transactions.run(work);
  }

  afterCommit(work: () => void): void {
    this.#transactions.afterCommit(work);
  }

  prepare<Row extends object>(sql: string): Query<Row> {
    return this.#transactions.prepare<Row>(sql);
  }

  rows<Row extends object>(sql: string, values: readonly SqlValue[] = [], options?: StatementOptions): Promise<Row[]> {
    return this.#transactions.statement(sql, (connection) => connection.rows<Row>(sql, values, options));
  }

  run(sql: string, values: readonly SqlValue[] = [], options?: StatementOptions): Promise<number> {
    return this.#transactions.statement(sql, (connection) => connection.run(sql, values, options));
  }

  dispose(): void {
    for (const model of this.#models.splice(0)) forget(this.#orm(), model);
  }
}

/** `my.plugin-x` and `notes` → `my_plugin_x_notes`. */
function tableName(extension: string, name: string): string {
  return `${extension.replaceAll(/[^a-z0-9]/g, '_')}_${name}`;
}

/** A newer version of the extension may have defined the same name since: that one stays. */
function forget(orm: Sequelize, model: ModelStatic<Model>): void {
  if (orm.models[model.name] === model) orm.modelManager.removeModel(model);
}
