/** The limit of a send: one row in one transaction of one SQLite file, for each request. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sqlite3 from 'sqlite3';

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const database = new sqlite3.Database(join(folder, 'limit.db'));
database.serialize();
database.exec(
  'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, content TEXT)',
);
const insert = database.prepare('INSERT INTO messages (session_id, content) VALUES (?, ?)');

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    const { session_id, content } = JSON.parse(body) as { session_id: string; content: string };
    insert.run(session_id, content, (fault: Error | null) => {
      response.writeHead(fault ? 500 : 200, { 'content-type': 'application/json' });
      response.end('{"message_id":"","session_id":"","task_id":null}');
    });
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }));

let cpu = process.cpuUsage();
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  process.send?.({ cpu_s: (user + system) / 1e6 });
});
process.on('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
