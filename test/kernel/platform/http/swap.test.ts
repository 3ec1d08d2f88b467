import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import { find, hello, json } from './deeds.js';
import { startWorld } from './world.js';

t.test('no request fails while versions are replaced under load', async (t) => {
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  const version = (number: number) =>
    made.serve('hello', ['/api/hello'], {
      'hello.version': { ...find, path: '/api/hello/version', does: () => ({ number }) },
      'hello.slow': {
        ...hello['hello.echo']!,
        path: '/api/hello/slow',
        who: 'public',
        does: (input: object) => sleep(50, { number, input }),
      },
    });
  await version(0);
  let running = true;
  const seen = new Set<number>();
  const statuses = new Map<number, number>();
  const client = async (turn: number) => {
    while (running) {
      const slow = turn % 4 === 0;
      const init = slow ? { method: 'POST', headers: json, body: JSON.stringify({ text: 'x' }) } : {};
      const answer = await fetch(`${made.url}/api/hello/${slow ? 'slow' : 'version'}`, init);
      seen.add(((await answer.json()) as { number: number }).number);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  const clients = Promise.all(Array.from({ length: 16 }, (_, turn) => client(turn)));
  await until(() => seen.has(0), Boolean);
  for (let number = 1; number <= 50; number++) {
    await version(number);
    await until(() => seen.has(number), Boolean);
  }
  running = false;
  await clients;
  t.same([...statuses.keys()], [200]);
  t.equal(seen.size, 51, 'each version has answered');
  t.equal(((await (await fetch(`${made.url}/api/hello/version`)).json()) as { number: number }).number, 50);
});
