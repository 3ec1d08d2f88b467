import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Command } from 'commander';
import t from 'tap';
import { WebSocketServer } from 'ws';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import { temporaryFolder } from '../helpers/platform.js';

/** Clears the screen, and a line of its own. */
const evil = 'evil \u001B[2J\u009B8m\r\nstate: all is well\u202E';
const archive = Buffer.from('an archive');

const status = {
  ...{ version: evil, node_version: evil, database: evil, started_at: evil, uptime_s: 1, pid: 1, http: null },
  ...{ event_loop_delay_ms: null, cpu_percent: null, memory_mb: { rss: 1 }, seats: null },
  extensions: { active: 1, disabled: 0, failed: [{ name: evil, error: evil }] },
  figures: [{ help: evil, value: 1 }],
};
const checks = [{ extension: evil, code: evil, ok: false, message: evil, since: evil, fix: evil }];
const sha256 = createHash('sha256').update(archive).digest('hex');
const report = { file: '../owned.tar', bytes: archive.length, sha256, missing_blobs: 0 };

const answers: Readonly<Record<string, unknown>> = {
  '/api/admin/status': status,
  '/api/admin/checks': checks,
  '/api/admin/maintenance/backup': report,
};

const server = createServer(({ url = '' }, response) => {
  const answer = answers[url.split('?')[0] ?? ''];
  if (answer === undefined) response.setHeader('content-type', 'application/x-tar').end(archive);
  else response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
});
new WebSocketServer({ server }).on('connection', (ws) => {
  ws.send(JSON.stringify({ type: 'hello', data: {}, ts: evil, cursor: evil }));
  ws.on('message', (text) => {
    ws.send(JSON.stringify({ type: 'ack', id: (JSON.parse(String(text)) as { id: number }).id, data: {}, ts: evil }));
    ws.send(JSON.stringify({ type: evil, data: { [evil]: { name: evil } }, ts: evil, cursor: evil }));
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  server.close();
  server.closeAllConnections();
});
const PLATFORM_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Output as a terminal shows it. */
async function shown(args: readonly string[]): Promise<string> {
  let text = '';
  const write = (piece: string) => (text += piece);
  const screen = Object.assign(new EventEmitter(), { isTTY: true, columns: 100, write });
  const env = { PLATFORM_URL, PLATFORM_TOKEN: 'plat_x', NO_COLOR: '1', TERM: 'dumb', XDG_CONFIG_HOME: '/nonexistent' };
  await run(new Command('platform'), args, { env, stdin: process.stdin, stdout: screen, stderr: screen } as unknown as Terminal);
  process.exitCode = 0;
  return text;
}

t.test("a server's information cannot control a terminal or add lines", async (t) => {
  for (const args of [['status'], ['doctor'], ['tail', '--topics', 'presence,x', '--count', '1']]) {
    const text = await shown(args);
    t.match(text, 'evil', `${args.join(' ')} shows it`);
    t.notMatch(text, /(?!\n)[\p{Cc}\u202E]/u, args.join(' '));
    t.notMatch(text, /^ *state: all is well/m, args.join(' '));
  }
});

t.test("an archive's name from a server cannot lead out of the folder", async (t) => {
  const folder = await temporaryFolder(t);
  const wanted = join(folder, 'backups');
  mkdirSync(wanted);
  t.match(await shown(['backup', '--out', wanted]), 'owned.tar');
  t.strictSame([readdirSync(folder), readdirSync(wanted)], [['backups'], ['owned.tar']]);
});
