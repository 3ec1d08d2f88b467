/**
 * The limit of operations that read or write a database: bare hapi and one prepared statement each. `GET /0` runs the first of
 * the statements on the given SQLite file, `/1` the second, and so on.
 */
import joi from 'joi';
import sqlite3 from 'sqlite3';
import { bareHapi } from './bare-hapi.js';

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

let cpu = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  process.send?.({ cpu_s: (user + system) / 1e6, memory_mb: process.resourceUsage().maxRSS / 1024 });
});
process.on('SIGTERM', () => process.exit(0));
process.send?.({ url: server.info.uri, token });
