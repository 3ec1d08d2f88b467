import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { find, hello } from './deeds.js';
import { open } from './raw.js';
import { startWorld } from './world.js';

t.test('closing ends idle connections at once and waits for running answers', async (t) => {
  const made = await startWorld();
  let begun = 0;
  const does = () => {
    begun += 1;
    return sleep(300, { slow: true });
  };
  await made.serve('slow', ['/api/slow'], { 'slow.get': { ...find, path: '/api/slow', does } });
  const idle = open({ port: made.port });
  await new Promise((resolve) => idle.once('connect', resolve));
  const idleEnded = new Promise((resolve) => idle.once('close', resolve));
  const slow = fetch(`${made.url}/api/slow`);
  await until(() => begun, Boolean);
  const started = Date.now();
  await made.http.close(60_000);
  const answer = await slow;
  t.same([answer.status, answer.headers.get('connection'), await answer.json()], [200, 'close', { slow: true }]);
  t.ok(Date.now() - started < 20_000);
  await idleEnded;
  await t.rejects(fetch(`${made.url}/healthz`));
});

t.test('connections that do not end before the deadline are cut', async (t) => {
  const made = await startWorld();
  await made.serve('slow', ['/api/slow'], { 'slow.get': { ...find, path: '/api/slow', does: () => new Promise(() => {}) } });
  const stuck = fetch(`${made.url}/api/slow`);
  const rejected = t.rejects(stuck);
  await sleep(100);
  const started = Date.now();
  await made.http.close(300);
  t.ok(Date.now() - started < 20_000);
  await rejected;
});

t.test('no request is lost when the platform shuts down under load', async (t) => {
  const made = await startWorld();
  await made.serve('hello', ['/api/hello'], hello);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.teardown(() => agent.destroy());
  const answered: number[] = [];
  const lost: string[] = [];
  const client = async () => {
    for (;;) {
      const result = await request(made.port, agent);
      if (result === 'ECONNREFUSED') return;
      if (typeof result === 'number') answered.push(result);
      else lost.push(result);
    }
  };
  const clients = Promise.all(Array.from({ length: 8 }, client));
  await until(
    () => answered.length,
    (count) => count > 50,
  );
  await made.http.drain();
  await made.http.close(60_000);
  await clients;
  t.same(lost, []);
  t.same([...new Set(answered)], [200]);
});

function request(port: number, agent: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const asked = get({ port, agent, path: '/api/hello/things/x' }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
    });
    // A new connection that the system took and the server didn't any more is one that was refused.
    asked.once('error', ({ code, message }: NodeJS.ErrnoException) => resolve(asked.reusedSocket ? (code ?? message) : 'ECONNREFUSED'));
  });
}
