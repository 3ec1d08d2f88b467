import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { fail } from '../../../../extensions/nodes/codes.js';
import type { StoredNode } from '../../../../extensions/nodes/store/stored.js';
import { EventQueue } from '../../../../extensions/nodes/work/admin/event-queue.js';
import { workFault } from '../../../../extensions/nodes/work/faults.js';
import { entriesOf } from '../../../../extensions/nodes/work/files/listing.js';
import { FirstLine } from '../../../../extensions/nodes/work/first-line.js';
import { framesOf } from '../../../../extensions/nodes/work/frames.js';
import type { NodeContainer } from '../../../../extensions/nodes/work/node-container.js';
import { PerNodeLimiter } from '../../../../extensions/nodes/work/per-node-limiter.js';
import { TextPieces } from '../../../../extensions/nodes/work/text-pieces.js';
import { NodeWorkspace } from '../../../../extensions/nodes/work/tools/node-workspace.js';
import { MergedText } from '../../../../extensions/nodes/work/tools/shell.js';
import { endOf } from '../../../../extensions/nodes/work/walls/guard.js';
import { isLasting } from '../../../../extensions/nodes/work/walls/walls.js';

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

t.test('frames are parsed at any chunk boundary', async (t) => {
  const bytes = Buffer.concat([raw(1, 'first'), raw(2, 'second, longer'), raw(1, ''), raw(1, 'thïrd')]);
  for (const size of [1, 3, 7, 8, 9, 1_000]) {
    const found = { stdout: '', stderr: '' };
    const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    for await (const { stream, bytes: part } of framesOf(chunked(bytes, size))) parts[stream].push(part);
    for (const stream of ['stdout', 'stderr'] as const) found[stream] = Buffer.concat(parts[stream]).toString();
    t.same(found, { stdout: 'firstthïrd', stderr: 'second, longer' }, `${size} bytes at once`);
  }
  for (const length of [1, 8, 10, bytes.length - 1]) {
    const read = async () => {
      for await (const _frame of framesOf(chunked(bytes.subarray(0, length), 3)));
    };
    await t.rejects(read, /ended in the middle/, `after ${length} bytes`);
  }
  const endless = Buffer.from([1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1]);
  await t.rejects(async () => {
    for await (const _frame of framesOf(chunked(endless, 9)));
  }, /not a stream of frames/);
});

t.test('the first line is removed from the output, however it is split', async (t) => {
  const begun = (frames: ReturnType<typeof frame>[]) => {
    const head = new FirstLine();
    const given = frames.flatMap((each) => head.parse(each)).map(({ stream, bytes }) => `${stream}:${bytes.toString()}`);
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
  const strange = new FirstLine();
  for (const words of ['OCI runtime exec failed: no such file or directory\r\n', 'x'.repeat(5_000), '12 yes\n'])
    strange.parse(frame('stdout', words));
  t.equal(strange.leader, undefined, 'no later line is taken for the first');
  t.match(strange.unexpected, /^OCI runtime exec failed/);
  t.equal(strange.pending, true);
  const flood = new FirstLine();
  for (let n = 0; n < 100; n += 1) flood.parse(frame('stderr', Buffer.alloc(65_536)));
  const kept = flood.parse(frame('stdout', '1 no\n')).reduce((sum, { bytes }) => sum + bytes.length, 0);
  t.equal(kept, 1024 * 1024);
  t.same(
    new FirstLine(true).parse(frame('stdout', '12 yes\n')).map(({ bytes }) => bytes.toString()),
    ['12 yes\n'],
    'without a first line nothing is removed',
  );
});

t.test('text is split without breaking characters', async (t) => {
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

t.test('a slow reader gets everything in few events', async (t) => {
  const queue = new EventQueue(new AbortController().signal);
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

t.test('a slow reader gets a limited number of events, however often the outputs alternate', async (t) => {
  const queue = new EventQueue(new AbortController().signal);
  for (let n = 0; n < 100_000; n += 1) queue.output(n % 2 === 0 ? 'stdout' : 'stderr', String(n % 10));
  queue.end();
  const texts = { stdout: '', stderr: '' };
  let events = 0;
  for await (const { data } of queue.read()) {
    const { stream, delta } = data as { stream: Stream; delta: string };
    texts[stream] += delta;
    events += 1;
  }
  t.equal(events, 1_000);
  t.same(texts, { stdout: '02468'.repeat(10_000), stderr: '13579'.repeat(10_000) });
});

t.test('a command waits while its reader does not read', async (t) => {
  const left = new AbortController();
  const queue = new EventQueue(left.signal);
  const reader = queue.read();
  const isWaiting = (room: Promise<void>) => Promise.race([room.then(() => false), new Promise((resolve) => setImmediate(resolve, true))]);
  queue.output('stdout', 'x'.repeat(100_000));
  t.equal(await isWaiting(queue.room()), false);
  queue.output('stderr', 'y'.repeat(200_000));
  const room = queue.room();
  t.equal(await isWaiting(room), true);
  await reader.next();
  t.equal(await isWaiting(room), false, 'the reader has read enough');
  queue.output('stdout', 'x'.repeat(100_000));
  const last = queue.room();
  t.equal(await isWaiting(last), true);
  left.abort();
  t.equal(await isWaiting(last), false, 'the reader has stopped reading');
  t.equal(await isWaiting(queue.room()), false);
});

t.test('the end marker of an internal command is found at once after any output', async (t) => {
  t.same(endOf('one\ntwo\nended 3\n'), { code: 3, stdout: 'one\ntwo\n' });
  t.same(endOf('ended 9\nended 0\n'), { code: 0, stdout: 'ended 9\n' });
  for (const cut of ['', 'one\n', 'one ended 3\n', 'ended 3', 'ended \n', 'ended 3\nmore\n', 'ended 3000\n'])
    t.equal(endOf(cut), undefined, cut);
  const started = performance.now();
  t.equal(endOf('\n'.repeat(262_144)), undefined);
  t.ok(performance.now() - started < 10_000);
});

t.test('permanent rejections by an engine are distinguished from temporary ones', async (t) => {
  const refusal = (statusCode: number, message: string) => isLasting(Object.assign(new Error(message), { statusCode }));
  t.ok(refusal(400, 'exec: "/bin/sh": stat /bin/sh: no such file or directory'));
  t.ok(refusal(500, 'OCI runtime create failed: write sysctl key: operation not permitted'));
  t.notOk(refusal(500, 'context deadline exceeded'));
  t.notOk(refusal(500, 'OCI runtime create failed: fork/exec: resource temporarily unavailable'));
  for (const status of [404, 409, 429, 502, 503]) t.notOk(refusal(status, 'permission denied'), `${status}`);
  t.notOk(isLasting(new Error('socket hang up')));
});

t.test('members learn that a node is offline, but not where its engine is', async (t) => {
  const node = { name: 'box', host: 'ssh://root@10.0.0.5' } as StoredNode;
  const use = { node_id: 1, asker: { member_id: 5 } } as Parameters<NodeWorkspace['work']>[0];
  const told = (fault: Error, opens = true) => {
    const open = async () => {
      if (opens) return { node } as NodeContainer;
      throw workFault(fault, { node });
    };
    const site = new NodeWorkspace({ nodes: { find: async () => node }, places: { open } }, 2);
    return site.work(use, () => Promise.reject(workFault(fault, { node }))).catch((failure: Error) => failure);
  };
  const refused = Object.assign(new Error('connect ECONNREFUSED 10.0.0.5:22'), { code: 'ECONNREFUSED' });
  const strange = Object.assign(new Error('cgroup of host-7 is gone'), { statusCode: 500 });
  for (const fault of [refused, strange])
    for (const opens of [true, false]) {
      const failure = await told(fault, opens);
      t.match(failure, { code: 'node_offline', message: "The node 'box' is offline; administrators can see why" });
      t.match((failure.cause as Error).message, /10\.0\.0\.5/, "the engine's error is kept as the cause");
    }
  const input = fail('path_not_found', "'a' is not there");
  t.equal(await told(input), input);
  t.match(await told(fail('no_shell', 'OCI runtime exec failed')), { code: 'no_shell', message: /^The node 'box' has no shell/ });
});

t.test("commands beyond a node's limit wait in order, with limited number and time", async (t) => {
  const limiter = new PerNodeLimiter({ max: 2, max_waiting: 2, max_wait_ms: 200 });
  const { signal } = new AbortController();
  const ends: (() => void)[] = [];
  const order: number[] = [];
  const enter = (n: number, by = signal) => {
    const work = () =>
      new Promise<void>((resolve) => {
        order.push(n);
        ends.push(resolve);
      });
    return limiter.run(1, by, work);
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
  t.equal(await limiter.run(2, signal, async () => 'another node'), 'another node');
  for (const end of ends) end();
  await Promise.all([...inside, fourth]);
  t.equal(await limiter.run(1, signal, async () => 'again'), 'again');
});

t.test('a folder whose files vanish during the read is listed', async (t) => {
  const text = '81a4 5 /w/a\n81a4 7 /w/new\nline\n41ed 4096 /w/z\n\0/w/a\0/w/gone\0/w/new\nline\0/w/z\0\0a1ff 3 /w/l\n\0/w/l\0/w/cut';
  t.same(entriesOf(text, '/w/'), [
    { path: 'a', type: 'file', size: 5 },
    { path: 'l', type: 'link', size: 0 },
    { path: 'new\nline', type: 'file', size: 7 },
    { path: 'z', type: 'folder', size: 0 },
  ]);
  t.same(entriesOf('', '/'), []);
});
