import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { http } from '../../../../kernel/client/http.js';
import { fail } from '../../../../kernel/contract/failure.js';
import type { Step } from '../../../../kernel/contract/operation.js';
import { describeOperation } from '../../../../kernel/core/host/describe-operation.js';
import { progressEvents } from '../../../../kernel/platform/http/stream-events.js';
import { assertDeclared } from '../../../helpers/declared.js';
import { member } from './deeds.js';
import { type Deed, startWorld } from './world.js';

const steps: Step[] = [
  { doing: 'fetching', done: 1, total: 2 },
  { doing: 'line\nbreak', done: 2, total: 2 },
];
const calls: Record<string, Deed> = {
  'long.work': {
    summary: 'Takes long',
    method: 'POST',
    path: '/api/long',
    who: 'member',
    progress: true,
    status: 201,
    input: (j) => j.object({ outcome: j.string() }),
    answer: (j) => j.object(),
    does: async ({ outcome }: { outcome: string }, { progress }) => {
      if (outcome !== 'silent') for (const step of steps) progress?.(step);
      if (outcome === 'refused') throw fail('rate_limited', 'Too often', { retry_after: 7 });
      if (outcome === 'slow') await sleep(300);
      if (outcome === 'broken') throw new TypeError('a secret');
      return { told: progress !== undefined };
    },
  },
};
const { does: _does, ...operation } = calls['long.work'] as Deed;
const asked = { id: 'long.work', operation: describeOperation(operation) };

const world = await startWorld();
await world.serve('long', ['/api/long'], calls);
t.teardown(() => world.http.close(1_000));
const client = http({ url: world.url, token: 'member' });
t.teardown(() => client.close());

/** Returns the answer of a call, and its progress events. */
async function run(outcome: string) {
  const told: Step[] = [];
  const answer = await client
    .call({ ...asked, input: { outcome }, options: { progress: (step) => void told.push(step) } })
    .catch((fault: unknown) => fault);
  return { told, answer };
}

t.test('clients that request it get progress as events, then the answer', async (t) => {
  t.same(await run('good'), { told: steps, answer: { status: 201, body: { told: true } } });
  t.same(
    await run('silent'),
    { told: [], answer: { status: 201, body: { told: true } } },
    'without progress the answer is an ordinary one',
  );
});

t.test('an aborted call fails with its reason', async (t) => {
  const giving = new AbortController();
  const options = { signal: giving.signal, progress: () => giving.abort(new Error('given up')) };
  await t.rejects(client.call({ ...asked, input: { outcome: 'slow' }, options }), new Error('given up'));
});

t.test('a failure after progress events is the same failure', async (t) => {
  const { told, answer } = await run('refused');
  t.same(told, steps);
  t.match(answer, { code: 'rate_limited', status: 429, message: 'Too often', retry_after: 7, cause: { request_id: String } });
  const broken = await run('broken');
  t.match(broken.answer, { code: 'internal_error', status: 500 });
  t.notMatch(JSON.stringify(broken.answer), 'secret');
  t.match(world.lines, [{ level: 'error', message: 'long.work failed' }]);
});

t.test('a client that does not request events gets JSON', async (t) => {
  const answer = await client.call({ ...asked, input: { outcome: 'good' }, options: {} });
  t.same(answer, { status: 201, body: { told: false } });
  const init = { method: 'POST', body: '{"outcome":"good"}', headers: { ...member, 'content-type': 'application/json' } };
  const events = await fetch(`${world.url}/api/long`, { ...init, headers: { ...init.headers, accept: 'text/event-stream' } });
  t.match(Object.fromEntries(events.headers), {
    'content-type': /^text\/event-stream/,
    'cache-control': /no-transform/,
    'x-request-id': String,
  });
  const text = await events.text();
  const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data) as { type: string });
  t.same(
    sent.map(({ type }) => type),
    ['progress', 'progress', 'answer'],
  );
  for (const { type, ...data } of sent) assertDeclared(progressEvents, { type, data });
  t.match(text, /^event: progress\ndata: \{"type":"progress","doing":"fetching","done":1,"total":2\}\n\n/);
});

t.test('a server that stops before its answer is unreachable', async (t) => {
  const server = createServer((_req, res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end('event: progress\ndata: {"doing":"x","done":0,"total":0}\n\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const other = http({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  t.teardown(() => other.close());
  await t.rejects(other.call({ ...asked, input: {}, options: { progress: () => undefined } }), {
    code: 'unreachable',
    message: /ended in the middle/,
  });
});
