import sqlite3 from 'sqlite3';

/** A platform's SQLite file, reached beside the platform that runs on it. */
export class DatabaseFile {
  readonly #database: sqlite3.Database;

  constructor(path: string) {
    this.#database = new sqlite3.Database(path);
    this.#database.configure('busyTimeout', 30_000);
  }

  rows<Row extends object>(sql: string, values: readonly (string | number)[] = []): Promise<Row[]> {
    return new Promise((resolve, reject) => {
      this.#database.all(sql, values, (fault, found) => (fault ? reject(fault) : resolve(found as Row[])));
    });
  }

  async count(table: string): Promise<number> {
    const [{ there } = { there: 0 }] = await this.rows<{ there: number }>(`SELECT count(*) AS there FROM ${table}`);
    return there;
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#database.close(() => resolve()));
  }
}
