import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { Spare } from '../../../../kernel/platform/http/spare.js';
import { becomes } from '../../../helpers/eventually.js';

/** Numbers what it makes, unless it is to fail. */
function numbered() {
  const made = { count: 0, fails: false };
  const spare = new Spare(async () => {
    made.count += 1;
    if (made.fails) throw new Error('none can be made');
    return made.count;
  });
  return { made, spare };
}

t.test('one is made ahead, and nobody gets it twice', async (t) => {
  const { made, spare } = numbered();
  t.equal(await spare.take(), 1, 'without one it is made now');
  spare.refill();
  spare.refill();
  t.equal(made.count, 1, 'not in the same turn');
  await becomes(t, () => made.count, 2);
  spare.refill();
  const both = await Promise.all([spare.take(), spare.take()]);
  t.strictSame(both, [2, 3]);
});

t.test('after one that could not be made ahead, the next who asks has it tried anew', async (t) => {
  const { made, spare } = numbered();
  made.fails = true;
  spare.refill();
  await becomes(t, () => made.count, 1);
  await t.rejects(spare.take(), { message: 'none can be made' });
  t.equal(made.count, 2);
  made.fails = false;
  t.equal(await spare.take(), 3);
});

t.test('at the end it gives what it has, and makes no more', async (t) => {
  const { made, spare } = numbered();
  spare.refill();
  await becomes(t, () => made.count, 1);
  t.equal(await spare.close(), 1);
  t.equal(await spare.close(), undefined);
  spare.refill();
  await spare.close();
  await pause(5);
  t.equal(made.count, 1);
});
