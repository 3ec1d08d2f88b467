import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import t from 'tap';
import { run } from '../../cli/program.js';
import type { Terminal } from '../../cli/terminal.js';

interface StreamCase {
  name: string;
  typed: readonly string[];
  events: readonly { type: string; data: object }[];
  /** The lines on a terminal. */
  people: string;
}

const node = (status: string) => ({ type: 'node.updated', data: { node: { id: 1, name: 'box', status, reason: '' } } });
const said = (sender_name: string, content: string, status = 'completed') => ({
  type: 'message.completed',
  data: { message_id: 'm', message: { sender_name, content, status } },
});

const cases: readonly StreamCase[] = [
  {
    name: 'a node that is created',
    typed: ['node', 'events', '1'],
    events: [node('creating'), node('online'), { type: 'done', data: { status: 'online' } }],
    people:
      'node.updated       node name=box status=creating\nnode.updated       node name=box status=online\ndone               status=online\n',
  },
  {
    name: 'a conversation, whose messages are shown completely and without terminal escapes',
    typed: ['chat', 'watch', '018f2c6e-0000-7000-8000-000000000000'],
    events: [
      said('ada', `Hello\nyou \u001B[2J${'long '.repeat(30)}`),
      { type: 'message.started', data: { message_id: 'n' } },
      { type: 'message.delta', data: { delta: 'Go' } },
      said('Vic', 'Good', 'aborted'),
      { type: 'done', data: {} },
    ],
    people: `ada:\nHello\nyou ${'long '.repeat(15).trim()}\n${'long '.repeat(15).trim()}\nVic (aborted):\nGood\ndone\n`,
  },
];

let events: StreamCase['events'] = [];
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(events.map(({ type, data }) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`).join(''));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  server.close();
  server.closeAllConnections();
});

async function written(args: readonly string[], isTTY: boolean): Promise<string> {
  let text = '';
  const output = (take: (piece: string) => void) => Object.assign(new EventEmitter(), { isTTY, columns: 80, write: take });
  const env = {
    PLATFORM_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    PLATFORM_TOKEN: 'plat_x',
    NO_COLOR: '1',
    TERM: 'dumb',
    XDG_CONFIG_HOME: '/nonexistent',
  };
  const stdout = output((piece) => (text += piece));
  const terminal = { env, stdin: process.stdin, stdout, stderr: output(() => undefined) } as unknown as Terminal;
  await run(new Command('platform'), args, terminal);
  process.exitCode = 0;
  return text;
}

for (const { name, typed, events: given, people } of cases)
  t.test(name, async (t) => {
    events = given;
    t.equal(await written(typed, true), people, 'in lines for people on a terminal');
    const isJson = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { type: string }).type);
    const types = given.map(({ type }) => type);
    t.same(isJson(await written(typed, false)), types, 'as JSON in a pipe');
    t.same(isJson(await written([...typed, '--json'], true)), types, 'as JSON where that is asked for');
  });
