import { once } from 'node:events';
import { createInterface } from 'node:readline';
import t from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { startInNamespace } from './namespace.js';
import type { Verdict } from './trial.js';

const lanes = ['messages', 'members', 'notifications', 'schedules', 'uploads', 'replies'];
const skip = skipWithout('postgres', 'redis', 'docker') || (process.getuid?.() !== 0 && 'needs root');

t.test('after each fault nothing acknowledged is lost or repeated, and service recovers by itself', { skip }, async (t) => {
  const child = startInNamespace(['--seed', '8', '--short', '--together', '4', '--slack', '4']);
  t.teardown(() => child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const verdicts: (Verdict & { instances: number })[] = [];
  for await (const line of createInterface(child.stdout as NodeJS.ReadableStream)) {
    const verdict = JSON.parse(line) as Verdict & { instances: number };
    if (!verdict.faults) continue;
    verdicts.push(verdict);
    t.same(verdict.wrong, [], `${verdict.instances} instances: ${verdict.faults.join(', and ') || 'at the end'}`);
  }
  t.same(await exited, [0, null]);
  const ends = verdicts.filter(({ faults }) => faults.length === 0);
  t.equal(ends.length, 2, 'one cluster and one single instance were tested');
  for (const { acknowledged } of ends) for (const lane of lanes) t.ok((acknowledged[lane] ?? 0) > 0, `there were ${lane}`);
});
