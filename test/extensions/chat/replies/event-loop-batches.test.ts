import t from 'tap';
import { EventLoopBatches } from '../../../../extensions/chat/replies/recorder.js';

t.test('batched work runs in order, in the next turn of the event loop', async (t) => {
  const turn = new EventLoopBatches();
  const done: number[] = [];
  for (let n = 0; n < 100; n += 1) turn.add(() => done.push(n));
  t.same(done, []);
  turn.add(() => turn.add(() => done.push(101)));
  await new Promise(setImmediate);
  t.same(
    done,
    Array.from({ length: 100 }, (_, n) => n),
  );
  await new Promise(setImmediate);
  t.equal(done.at(-1), 101, 'follow-up work runs in the next turn');
});

t.test('follow-up work of the first job runs before the last of hundreds starts', async (t) => {
  const turn = new EventLoopBatches();
  let begun = 0;
  const told: number[] = [];
  for (let n = 0; n < 200; n += 1) {
    turn.add(() => {
      begun += 1;
      void Promise.resolve().then(() => told.push(begun));
    });
  }
  await new Promise(setImmediate);
  t.equal(told.length, 200);
  t.ok((told[0] as number) <= 40, `the follow-up of the first job ran when ${told[0]} had begun`);
});
