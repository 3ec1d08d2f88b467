/**
 * The limit of operations that read or write a database: bare hapi and one prepared statement each. `GET /0` runs the first of
 * the statements on the given SQLite file, `/1` the second, and so on.
 */
import joi from 'joi';
import sqlite3 from 'sqlite3';
import { bareHapi } from './bare-hapi.js';
import { tellFigures } from './figures.js';

const [file = '', statements = '[]'] = process.argv.slice(2);
const database = new sqlite3.Database(file);
database.configure('busyTimeout', 10_000);
database.exec('PRAGMA synchronous = NORMAL');

const { server, token } = await bareHapi('1');
for (const [index, sql] of (JSON.parse(statements) as string[]).entries()) {
  const statement = database.prepare(sql);
  const rows = () =>
    new Promise<object[]>((resolve, reject) => statement.all([], (fault, found) => (fault ? reject(fault) : resolve(found as object[]))));
  server.route({ method: 'GET', path: `/${index}`, options: { auth: 'jwt', validate: { query: joi.object({}) } }, handler: rows });
}
await server.start();

tellFigures();
process.send?.({ url: server.info.uri, token });
