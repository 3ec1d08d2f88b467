import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { EventQueue } from '../../../../extensions/nodes/work/admin/event-queue.js';
import { Crowd } from '../../../../extensions/nodes/work/crowd.js';
import { entriesOf } from '../../../../extensions/nodes/work/files/listing.js';
import { framesOf } from '../../../../extensions/nodes/work/frames.js';
import { Head } from '../../../../extensions/nodes/work/head.js';
import { MergedText } from '../../../../extensions/nodes/work/merged-text.js';
import { TextPieces } from '../../../../extensions/nodes/work/text-pieces.js';

type Stream = 'stdout' | 'stderr';

const frame = (stream: Stream, text: string | Buffer) => ({ stream, bytes: Buffer.from(text as string) });

function raw(stream: number, text: string): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream;
  header.writeUInt32BE(Buffer.byteLength(text), 4);
  return Buffer.concat([header, Buffer.from(text)]);
}

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

t.test('frames are found, however the stream is cut', async (t) => {
  const bytes = Buffer.concat([raw(1, 'first'), raw(2, 'second, longer'), raw(1, ''), raw(1, 'thïrd')]);
  for (const size of [1, 3, 7, 8, 9, 1_000]) {
    const found = { stdout: '', stderr: '' };
    const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for await (const { stream, bytes: part } of framesOf(chunked(bytes, size))) parts[stream].push(part);
    for (const stream of ['stdout', 'stderr'] as const) found[stream] = Buffer.concat(parts[stream]).toString();
    t.same(found, { stdout: 'firstthïrd', stderr: 'second, longer' }, `${size} bytes at once`);
  }
  const endless = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1]);
  await t.rejects(async () => {
    for await (const _frame of framesOf(chunked(endless, 9)));
  }, /no stream of frames/);
});

t.test('the first line is taken off, whatever comes with it or before it', async (t) => {
  const begun = (frames: ReturnType<typeof frame>[]) => {
    const head = new Head();
    const given = frames.flatMap((each) => head.take(each)).map(({ stream, bytes }) => `${stream}:${bytes.toString()}`);
    return { leader: head.leader, backstop: head.backstop, refusal: head.refusal, given };
  };
  const plain = { backstop: true, refusal: undefined, leader: '12' };
  t.same(begun([frame('stdout', '12 yes\nout'), frame('stdout', 'put')]), { ...plain, given: ['stdout:out', 'stdout:put'] });
  t.same(begun([frame('stdout', '1'), frame('stdout', '2 y'), frame('stdout', 'es\n')]), { ...plain, given: [] });
  t.same(begun([frame('stderr', 'first'), frame('stdout', '12 yes\nout')]), { ...plain, given: ['stderr:first', 'stdout:out'] });
  t.same(begun([frame('stdout', 'unfenced\n'), frame('stderr', 'x')]), {
    leader: undefined,
    backstop: false,
    refusal: 'unfenced',
    given: ['stderr:x'],
  });
  const strange = new Head();
  for (const words of ['OCI runtime exec failed: no such file or directory\r\n', 'x'.repeat(5_000), '12 yes\n'])
    strange.take(frame('stdout', words));
  t.equal(strange.leader, undefined, 'no line after the first is one');
  t.match(strange.strange, /^OCI runtime exec failed/);
  t.equal(strange.pending, true);
  const flood = new Head();
  for (let n = 0; n < 100; n += 1) flood.take(frame('stderr', Buffer.alloc(65_536)));
  const kept = flood.take(frame('stdout', '1 no\n')).reduce((sum, { bytes }) => sum + bytes.length, 0);
  t.equal(kept, 1024 * 1024);
  t.same(
    new Head(true).take(frame('stdout', '12 yes\n')).map(({ bytes }) => bytes.toString()),
    ['12 yes\n'],
    'where there is none, nothing is taken',
  );
});

t.test('text comes in pieces that do not part characters', async (t) => {
  const pieces: string[] = [];
  const text = new TextPieces((stream, delta) => pieces.push(`${stream}:${delta}`));
  const bytes = Buffer.from('é😀x');
  for (const byte of bytes) text.add({ stream: 'stdout', bytes: Buffer.from([byte]) });
  text.add({ stream: 'stderr', bytes: Buffer.from([0xe2, 0x82]) });
  text.end();
  t.same(pieces, ['stdout:é', 'stdout:😀', 'stdout:x', 'stderr:\ufffd']);
  const told: string[] = [];
  const merged = new MergedText((delta) => told.push(delta));
  merged.add(frame('stdout', 'a\0b'));
  merged.add(frame('stderr', 'c'));
  t.equal(merged.end(), 'a\ufffdbc');
  t.same(told, ['a\ufffdb', 'c']);
});

t.test('a slow reader gets all of it, in few events', async (t) => {
  const queue = new EventQueue();
  for (let n = 0; n < 1_000; n += 1) queue.output('stdout', 'x');
  queue.output('stderr', 'e');
  queue.output('stdout', 'y');
  const reader = queue.read();
  t.same((await reader.next()).value, { type: 'output', data: { stream: 'stdout', delta: 'x'.repeat(1_000) } });
  t.same((await reader.next()).value, { type: 'output', data: { stream: 'stderr', delta: 'e' } });
  t.same((await reader.next()).value, { type: 'output', data: { stream: 'stdout', delta: 'y' } });
  const waiting = reader.next();
  queue.output('stdout', 'z');
  t.same((await waiting).value, { type: 'output', data: { stream: 'stdout', delta: 'z' } });
  queue.output('stdout', 'last');
  queue.fail(new Error('broken'));
  t.same((await reader.next()).value, { type: 'output', data: { stream: 'stdout', delta: 'last' } });
  await t.rejects(reader.next(), /broken/);
});

t.test('a crowd is let in one after the other, and not without end', async (t) => {
  const crowd = new Crowd({ most: 2, waiting: 2, wait_ms: 200 });
  const { signal } = new AbortController();
  const ends: (() => void)[] = [];
  const order: number[] = [];
  const enter = (n: number, by = signal) => {
    const work = () =>
      new Promise<void>((resolve) => {
        order.push(n);
        ends.push(resolve);
      });
    return crowd.through(1, by, work);
  };
  const inside = [enter(1), enter(2)];
  const leaving = new AbortController();
  const third = enter(3, leaving.signal);
  const fourth = enter(4);
  await t.rejects(enter(5), { code: 'node_busy', status: 503, retry_after: 5 });
  leaving.abort(new Error('given up'));
  await t.rejects(third, /given up/);
  ends[0]?.();
  await inside[0];
  await sleep(0);
  t.same(order, [1, 2, 4]);
  await t.rejects(enter(6), { code: 'node_busy', message: /0.2 s/ });
  t.equal(await crowd.through(2, signal, async () => 'another node'), 'another node');
  for (const end of ends) end();
  await Promise.all([...inside, fourth]);
  t.equal(await crowd.through(1, signal, async () => 'again'), 'again');
});

t.test('a listing whose files go meanwhile is read all the same', async (t) => {
  const text = '81a4 5 /w/a\n81a4 7 /w/new\nline\n41ed 4096 /w/z\n\0/w/a\0/w/gone\0/w/new\nline\0/w/z\0\0a1ff 3 /w/l\n\0/w/l\0/w/cut';
  t.same(entriesOf(text, '/w/'), [
    { path: 'a', type: 'file', size: 5 },
    { path: 'l', type: 'link', size: 0 },
    { path: 'new\nline', type: 'file', size: 7 },
    { path: 'z', type: 'folder', size: 0 },
  ]);
  t.same(entriesOf('', '/'), []);
});
