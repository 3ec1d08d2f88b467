import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { Command } from 'commander';
import t from 'tap';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';
import { type PassedCase, passed, typed } from './exec/cases.js';

let answer: Pick<PassedCase, 'events' | 'refusal'> = { events: [] };
let sent: unknown;

const server = createServer((request, response) => void respond(request, response));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  server.close();
  server.closeAllConnections();
});

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  sent = await json(request);
  const { events, refusal } = answer;
  if (refusal) {
    const { status, code } = refusal;
    response.writeHead(status, { 'content-type': 'application/json' });
    return void response.end(JSON.stringify({ statusCode: status, error: 'Error', message: 'It is so', code }));
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const all = [...events, { type: 'done', data: {} }];
  response.end(all.map(({ type, data }) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join(''));
}

/** An output, whose bytes are kept. */
function outputOf(isTTY: boolean) {
  const pieces: Buffer[] = [];
  const write = (piece: string | Buffer) => pieces.push(Buffer.from(piece as string));
  const stream = Object.assign(new EventEmitter(), { isTTY, columns: 100, write });
  return { stream, text: () => Buffer.concat(pieces).toString('latin1') };
}

async function exec(args: readonly string[], terminals: readonly string[] = []) {
  const [stdout, stderr] = [outputOf(terminals.includes('stdout')), outputOf(terminals.includes('stderr'))];
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PLATFORM_URL: url, PLATFORM_TOKEN: 'plat_x', NO_COLOR: '1', TERM: 'dumb', XDG_CONFIG_HOME: '/nonexistent' };
  const terminal = { env, stdin: process.stdin, stdout: stdout.stream, stderr: stderr.stream } as unknown as Terminal;
  sent = undefined;
  const code = await run(new Command('platform'), ['node', 'exec', ...args], terminal);
  process.exitCode = 0;
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}

for (const { name, typed: args, sent: wanted, code = 0 } of typed)
  t.test(name, async (t) => {
    answer = { events: [{ type: 'exit', data: { exit_code: 0, timed_out: false, truncated: false } }] };
    t.equal((await exec(args)).code, code);
    t.match(sent, wanted);
  });

for (const { name, terminals, flags = [], code, stdout, stderr, ...given } of passed)
  t.test(name, async (t) => {
    answer = given;
    const found = await exec(['1', ...flags, '--', 'true'], terminals);
    t.equal(found.code, code);
    t.equal(found.stdout, stdout);
    if (typeof stderr === 'string') t.equal(found.stderr, stderr);
    else t.match(found.stderr, stderr);
  });
