import { Duplex } from 'node:stream';
import t from 'tap';
import type { WebSocket } from 'ws';
import { Outbox } from '../../../../../kernel/platform/http/socket/outbox.js';

const limits = { waiting_bytes: 100, unread_bytes: 1_000, max_unread_bytes: 10_000, stalled_ms: 50 };

/** An outbox whose client reads one write at a time. */
function open() {
  let taken: (() => void) | undefined;
  const written: number[] = [];
  const write = (bytes: Buffer, _encoding: string, done: () => void) => {
    written.push(bytes.length);
    taken = done;
  };
  const socket = new Duplex({ highWaterMark: 100, read: () => undefined, write });
  let now = 0;
  let scheduled = 0;
  const schedule = () => {
    scheduled += 1;
  };
  const ws = { readyState: 1, OPEN: 1 } as unknown as WebSocket;
  const outbox = new Outbox({ ws, socket, limits, now: () => now, schedule });
  socket.on('drain', () => {
    outbox.drained();
    outbox.flush();
  });
  const read = async () => {
    taken?.();
    await new Promise(setImmediate);
  };
  const at = (ms: number) => {
    now = ms;
  };
  const give = (count: number, length = 50) => Array.from({ length: count }, () => outbox.add(Buffer.alloc(length)));
  return { outbox, written, read, give, scheduled: () => scheduled, at };
}

t.test('the frames of one tick are written together, and frames without room are not copied', async (t) => {
  const { outbox, written, read, give, scheduled } = open();
  give(2, 30);
  t.equal(scheduled(), 1);
  outbox.flush();
  t.same(written, [60]);
  await read();
  give(10);
  t.equal(outbox.full, true);
  outbox.flush();
  for (let n = 0; n < 4; n += 1) await read();
  t.same(written, [60, 100, 100, 100, 100, 100]);
  t.equal(outbox.full, false);
});

t.test('a slow reader eventually stalls, one that catches up does not', async (t) => {
  const { outbox, read, give, at } = open();
  give(40);
  outbox.flush();
  for (let ms = 10; ms < 50; ms += 10) {
    at(ms);
    await read();
    t.equal(outbox.isStalled(ms), false);
  }
  t.equal(outbox.isStalled(50), true);
  while (outbox.full) await read();
  t.equal(outbox.isStalled(50), false);
});

t.test('far too much unread data is rejected, and dropped when the outbox is cleared', (t) => {
  const { outbox, give } = open();
  t.same(give(3, 6_000), [true, true, false]);
  outbox.clear();
  t.same(give(1), [true]);
  t.end();
});

t.test('a finished outbox sends its end without waiting for room', (t) => {
  const { outbox, written, give } = open();
  give(40);
  outbox.finish();
  t.same([written.length, outbox.full], [1, true]);
  give(1);
  outbox.flush();
  t.equal(written.length, 1, 'later frames wait');
  t.end();
});
