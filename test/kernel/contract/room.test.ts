import t from 'tap';
import { Room } from '../../../kernel/contract/room.js';

/** Work in a room that goes on until it is ended. */
function enter(room: Room, amount: number, signal = new AbortController().signal) {
  const work: { entered: boolean; shrink: (rest: number) => void; end: () => void } = {
    entered: false,
    shrink: () => undefined,
    end: () => undefined,
  };
  const ended = room.within({ amount, signal }, (shrink) => {
    Object.assign(work, { entered: true, shrink });
    return new Promise<void>((resolve) => {
      work.end = resolve;
    });
  });
  return Object.assign(work, { ended });
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

t.test('who finds no room waits, and those that wait come in their order', async (t) => {
  const room = new Room(10);
  const [first, second, third] = [enter(room, 6), enter(room, 5), enter(room, 4)];
  await settled();
  t.same([first.entered, second.entered, third.entered], [true, false, false], 'a smaller one overtakes nobody');
  first.end();
  await first.ended;
  await settled();
  t.same([second.entered, third.entered], [true, true]);
});

t.test('what turns out not to be needed is room for others', async (t) => {
  const room = new Room(10);
  const [first, second] = [enter(room, 100), enter(room, 5)];
  await settled();
  t.same([first.entered, second.entered], [true, false], 'what needs more than there is has all of it');
  first.shrink(6);
  first.shrink(8);
  await settled();
  t.equal(second.entered, false);
  first.shrink(5);
  await settled();
  t.equal(second.entered, true);
  first.end();
  await first.ended;
  const third = enter(room, 6);
  await settled();
  t.equal(third.entered, false, 'nothing is given back twice');
});

t.test('who gives up waiting is passed over, and work that fails leaves the room', async (t) => {
  const room = new Room(10);
  const controller = new AbortController();
  const first = enter(room, 10);
  const second = enter(room, 8, controller.signal);
  const third = enter(room, 4);
  await settled();
  first.shrink(5);
  controller.abort(new Error('Enough'));
  await t.rejects(second.ended, { message: 'Enough' });
  await settled();
  t.same([second.entered, third.entered], [false, true]);
  await t.rejects(
    room.within({ amount: 1, signal: controller.signal }, async () => undefined),
    { message: 'Enough' },
  );
  const failing = room.within({ amount: 1, signal: new AbortController().signal }, async () => {
    throw new Error('No');
  });
  await t.rejects(failing, { message: 'No' });
  first.end();
  third.end();
  await first.ended;
  await third.ended;
  const last = enter(room, 10);
  await settled();
  t.equal(last.entered, true, 'all of it is free again');
});
