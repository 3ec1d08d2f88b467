import t, { type Test } from 'tap';
import { freshPostgres } from '../../helpers/databases.js';
import { skipWithout } from '../../helpers/parts.js';
import { type Damaged, damaged, damages } from './damage.js';
import { difference } from './rows.js';
import type { Subject } from './subject.js';
import { World } from './world.js';

/** What is no input at all, though a caller in the process can give it. */
const notInputs: readonly unknown[] = ['text', 5, true, [], [1], ['{}']];

t.test('sqlite', (t) => refusesAll(t));
t.test('postgres', { skip: skipWithout('postgres') }, async (t) => refusesAll(t, await freshPostgres()));

/** Within the process every operation refuses bad input as over HTTP, and changes no row. */
async function refusesAll(t: Test, database_url?: string): Promise<void> {
  const world = await World.start(t, { database_url, way: 'direct' });
  t.ok(world.subjects.length > 0, 'there are operations');
  for (const subject of world.subjects) await t.test(subject.id, (t) => refuses(t, subject, world));
}

async function refuses(t: Test, subject: Subject, world: World): Promise<void> {
  const before = await world.rows();
  const others = notInputs.map((input) => ({ what: JSON.stringify(input), input: input as Damaged['input'], code: 'invalid_input' }));
  t.same(await faultsOf(others, subject, world), [], 'what is no input at all');
  for (const damage of damages) {
    const bads = damaged(subject, damage);
    if (bads.length > 0) t.same(await faultsOf(bads, subject, world), [], `a field that is ${damage.name}`);
  }
  t.same(difference(before, await world.rows()), [], 'no row has changed');
  t.same(world.faults(), [], 'nothing was logged as an error');
}

async function faultsOf(bads: readonly Damaged[], subject: Subject, { side }: World): Promise<string[]> {
  const faults: string[] = [];
  for (const { what, input, code } of bads) {
    const result = await side.ask(subject.id, input, { asker: subject.asker });
    const failure = 'failure' in result ? result.failure : undefined;
    const right = failure?.code === code && failure.status === 400 && JSON.stringify(failure).length < 64 * 1024;
    if (!right) faults.push(`${what} should be ${code} but gave ${JSON.stringify(result).slice(0, 300)}`);
  }
  return faults;
}
