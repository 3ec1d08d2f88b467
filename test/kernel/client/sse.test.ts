import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { type Frame, frames } from '../../../kernel/client/sse.js';

async function read(chunks: Iterable<Uint8Array>): Promise<Frame[]> {
  const found: Frame[] = [];
  for await (const frame of frames(source(chunks))) found.push(frame);
  return found;
}

async function* source(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

const bytes = (text: string) => [new TextEncoder().encode(text)];

t.test('reads the examples of the standard as specified', async (t) => {
  t.strictSame(await read(bytes('data: YHOO\ndata: +2\ndata: 10\n\n')), [{ data: 'YHOO\n+2\n10' }]);
  const second = ': test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n';
  t.strictSame(await read(bytes(second)), [{ data: 'first event', id: '1' }, { data: 'second event', id: '' }, { data: ' third event' }]);
  t.strictSame(await read(bytes('data\n\ndata\ndata\n\ndata:')), [{ data: '' }, { data: '\n' }]);
  t.strictSame(await read(bytes('data:test\n\ndata: test\n\n')), [{ data: 'test' }, { data: 'test' }]);
});

t.test('event names, retry, unknown fields, a byte order mark and an unfinished event are handled', async (t) => {
  const text = '\uFEFFretry: 3000\n\nevent: done\ndata: {}\nstrange: 1\nretry: soon\n\nid: a\0b\ndata: x\n\ndata: lost\n';
  t.strictSame(await read(bytes(text)), [{ retry: 3000 }, { event: 'done', data: '{}' }, { data: 'x' }]);
});

t.test('events are the same at any chunk boundary and with any line end', async (t) => {
  const text = 'retry: 1\n\nid: 1.a\nevent: delta\ndata: grüße 你好 🙂\n\n:\n\ndata: a\ndata: b\nid: 2\n\n';
  const expected = await read(bytes(text));
  t.equal(expected.length, 3);
  const cuts = fc.array(fc.nat({ max: 120 }), { maxLength: 12 });
  const property = fc.asyncProperty(cuts, fc.constantFrom('\n', '\r\n', '\r'), async (places, end) => {
    const whole = new TextEncoder().encode(`${text.replaceAll('\n', end)}:`);
    const edges = [0, ...places.map((place) => Math.min(place, whole.length)).sort((a, b) => a - b), whole.length];
    const chunks = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
    assert.deepEqual(await read(chunks), expected);
  });
  await fc.assert(property, { numRuns: 300 });
});

t.test('an event without an end is given up', async (t) => {
  const piece = new Uint8Array(1024 * 1024).fill(97);
  await t.rejects(read(Array.from({ length: 20 }, () => piece)), { message: 'An event of the stream is too large' });
});
