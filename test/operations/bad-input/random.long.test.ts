import assert from 'node:assert/strict';
import fc, { type Arbitrary } from 'fast-check';
import t, { type Test } from 'tap';
import { isFailure } from '../../../kernel/contract/index.js';
import { freshPostgres } from '../../helpers/databases.js';
import { skipWithout } from '../../helpers/parts.js';
import type { Subject } from './subject.js';
import { weird } from './weird.js';
import { type Message, render } from './wire.js';
import { World } from './world.js';

/** On each database; the same at each run. */
const requests = { numRuns: 1_000, seed: 20_240_601, endOnFailure: true };

/** Operations that are not asked for what their schema admits, since they would do it. */
const obedient: Readonly<Record<string, string>> = {
  'hello.slow': 'it waits as long as it is told',
  'hello.refuse': 'it crashes when it is told to',
};

t.test('sqlite', (t) => survives(t));
t.test('postgres', { skip: skipWithout('postgres') }, async (t) => survives(t, await freshPostgres()));

/** Whatever one field of a good request is, and whatever stands beside it, the answer is no 5xx. */
async function survives(t: Test, database_url?: string): Promise<void> {
  const world = await World.start(t, { database_url });
  const subjects = world.subjects.filter(({ fields }) => fields.length > 0);
  const statuses = new Map<number, number>();
  const property = fc.asyncProperty(fc.constantFrom(...subjects).chain(spoilt), async ({ subject, input }) => {
    const message = messageOf(subject, input);
    if (!message) return;
    const { status, body } = await world.send(message);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const { code } = status < 400 ? { code: '' } : (JSON.parse(body) as { code: unknown });
    assert.equal(typeof code, 'string');
    // The engine of these tests is away.
    assert(
      status < 500 || code === 'node_offline' || code === 'engine_unavailable',
      `${subject.id} answered ${status} ${body.slice(0, 300)}`,
    );
  });
  await t.resolves(fc.assert(property, requests));
  t.same(world.faults(), [], 'nothing was logged as an error');
  const unasked = statuses.get(401) ?? 0;
  t.ok(unasked < requests.numRuns / 10, `few requests were rejected for their caller: ${JSON.stringify([...statuses])}`);
}

interface Spoilt {
  subject: Subject;
  input: Readonly<Record<string, unknown>>;
}

/** The operation with one field of its good input changed, and maybe fields that it doesn't know. */
function spoilt(subject: Subject): Arbitrary<Spoilt> {
  const beside = fc.dictionary(fc.string({ maxLength: 10 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
  return fc.constantFrom(...subject.fields).chain(({ key, schema }) => {
    return fc.tuple(weird(schema), beside).map(([value, others]) => ({ subject, input: { ...others, ...subject.input, [key]: value } }));
  });
}

/** Nothing where an address can't carry the input, or it would do harm to the world of the test. */
function messageOf(subject: Subject, input: Spoilt['input']): Message | undefined {
  const isHarmful = subject.id in obedient || (subject.operation.dangerous === true && typeof input.id === 'number' && input.id < 1_000);
  if (isHarmful && subject.accepts(input)) return undefined;
  try {
    return render(subject.parts(input));
  } catch (fault) {
    if (isFailure(fault)) return undefined;
    throw fault;
  }
}
