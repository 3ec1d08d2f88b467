/** A model's server that writes at a steady rate, once it is told to; each of its pieces tells its number and when it was sent. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setInterval, setTimeout as sleep } from 'node:timers/promises';

const [seconds = '10', rate = '20'] = process.argv.slice(2);
const per_second = Number(rate);
const pieces = Number(seconds) * per_second;
/** Pieces of a reply that only warms up the relays. */
const warm_pieces = 3 * per_second;
/**
 * Size of a reply that its readers' sockets can't hold: in the events' JSON six bytes a character, 5.7 MB in all, where a socket
 * that nobody reads takes no more than 4 MiB (`tcp_wmem`) and what was let in before it was known that nobody reads.
 */
const bulk = '\u0001'.repeat(8_000);
const bulks = 119;

const waiting = new Set<(pieces: number) => void>();
const bulky = new Set<ServerResponse>();

async function write(response: ServerResponse, count: number): Promise<void> {
  let number = 0;
  for await (const _ of setInterval(1_000 / per_second)) {
    const content = `${number}:${process.hrtime.bigint() / 1_000n} `;
    response.write(chunk({ content }, null));
    number += 1;
    if (number === count || response.destroyed) break;
  }
  response.end(`${chunk({}, 'stop')}data: [DONE]\n\n`);
}

/** Writes what is bulky, one piece after the other, so that it is taken before all begin. */
async function fill(): Promise<void> {
  for (let number = 0; number < bulks; number += 1) {
    const written = [...bulky].map((response) => new Promise((resolve) => response.write(chunk({ content: bulk }, null), resolve)));
    await Promise.all(written);
    await sleep(100);
  }
  process.send?.({ filled: bulky.size });
}

/** Not all at the same moment, as users don't. */
function begin(count: number): void {
  const all = [...waiting];
  waiting.clear();
  bulky.clear();
  for (const one of all) setTimeout(one, Math.random() * (1_000 / per_second), count);
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
    const answer = (count: number) => void write(response, count);
    waiting.add(answer);
    if (body.includes('a lot')) bulky.add(response);
    response.on('close', () => {
      waiting.delete(answer);
      bulky.delete(response);
    });
    return undefined;
  });
});
server.listen(0, '127.0.0.1', () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, pieces, warm_pieces });
});
process.on('message', (order) => {
  if (order === 'count') process.send?.({ waiting: waiting.size });
  else if (order === 'fill') void fill();
  else begin(order === 'warm' ? warm_pieces : pieces);
});
process.on('SIGTERM', () => process.exit(0));
