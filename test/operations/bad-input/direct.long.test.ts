import t, { type Test } from 'tap';
import { type Failure, isFailure } from '../../../kernel/contract/index.js';
import { type Damaged, damaged, damages } from './damage.js';
import { difference } from './rows.js';
import type { Subject } from './subject.js';
import { World } from './world.js';

/** Values that are no input at all, but that a caller in the process can pass. */
const notInputs: readonly unknown[] = ['text', 5, true, [], [1], ['{}']];

/** Characters of a failure; what was asked is not told back whole. */
const max_told = 64 * 1024;

// On one database: all of it is refused before one is asked.
t.test('in-process calls reject bad input as over HTTP and change no row', async (t) => {
  const world = await World.start(t, { way: 'direct' });
  t.ok(world.subjects.length > 0, 'there are operations');
  for (const subject of world.subjects) await t.test(subject.id, (t) => refuses(t, subject, world));
});

async function refuses(t: Test, subject: Subject, world: World): Promise<void> {
  const before = await world.rows();
  const others = notInputs.map((input) => ({ what: JSON.stringify(input), input: input as Damaged['input'], code: 'invalid_input' }));
  t.same(await faultsOf(others, subject, world), [], 'the input is not an object');
  for (const damage of damages) {
    const bads = damaged(subject, damage);
    if (bads.length > 0) t.same(await faultsOf(bads, subject, world), [], `a field that is ${damage.name}`);
  }
  t.same(difference(before, await world.rows()), [], 'no row has changed');
  t.same(world.faults(), [], 'nothing was logged as an error');
}

async function faultsOf(bads: readonly Damaged[], subject: Subject, world: World): Promise<string[]> {
  const faults: string[] = [];
  for (const { what, input, code } of bads) {
    const outcome = await outcomeOf(subject, input, world);
    const right = isFailure(outcome) && outcome.code === code && outcome.status === 400 && sizeOf(outcome) < max_told;
    if (!right) faults.push(`${what} should be ${code} but gave ${isFailure(outcome) ? outcome.code : String(outcome)}`);
  }
  return faults;
}

/** Returns the outcome, without awaiting a stream's events. */
async function outcomeOf(subject: Subject, input: Damaged['input'], { side }: World): Promise<unknown> {
  try {
    return `a success: ${JSON.stringify(await side.give(subject.id, input, subject.asker))}`;
  } catch (fault) {
    return fault;
  }
}

function sizeOf({ message, details }: Failure): number {
  return message.length + JSON.stringify(details ?? []).length;
}
