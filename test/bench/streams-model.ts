/** A model's server that writes at a steady rate, once it is told to; each of its pieces tells its number and when it was sent. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval } from 'node:timers/promises';

const per_second = 20;
const [seconds = '10'] = process.argv.slice(2);
const pieces = Number(seconds) * per_second;
/** Of a reply that is to be more than its readers can hold. */
const bulk = 'x'.repeat(1_500);

const waiting: (() => void)[] = [];

async function write(response: ServerResponse, much: boolean): Promise<void> {
  let number = 0;
  for await (const _ of setInterval(1_000 / per_second)) {
    const content = `${number}:${process.hrtime.bigint() / 1_000n} ${much ? bulk : ''}`;
    response.write(chunk({ content }, null));
    number += 1;
    if (number === pieces || response.destroyed) break;
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

/** Not all at the same moment, as users don't. */
function begin(): void {
  const all = waiting.splice(0);
  for (const one of all) setTimeout(one, Math.random() * (1_000 / per_second));
  process.send?.({ begun: all.length });
}

function chunk(delta: object, finish_reason: string | null): string {
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
}

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (text: string) => {
    body += text;
  });
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    if (body.includes('briefly')) return void response.end(`${chunk({ content: 'Read.' }, 'stop')}data: [DONE]\n\n`);
    waiting.push(() => void write(response, body.includes('a lot')));
    return undefined;
  });
});
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, pieces }));
process.on('message', (order) => {
  if (order === 'count') process.send?.({ waiting: waiting.length });
  else begin();
});
process.on('SIGTERM', () => process.exit(0));
