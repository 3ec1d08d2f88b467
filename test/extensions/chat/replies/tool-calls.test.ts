import t from 'tap';
import type { ToolCall } from '../../../../extensions/chat/contract.js';
import { ToolCalls } from '../../../../extensions/chat/replies/tool-calls.js';
import { gate, onOneAndTwo, scripted } from '../scribe.js';
import { administrator, converse, replyTo } from '../world.js';

const max = 262_144;
const long = 'o'.repeat(16_384);

const kept = (calls: ToolCalls) => JSON.parse(calls.json) as ToolCall[];

t.test('the tool calls of a reply share a limit: early ones are truncated, and the latest stays whole', async (t) => {
  const calls = new ToolCalls();
  for (let n = 0; n < 800; n += 1) {
    calls.start({ id: `${n}`, name: 'dig', input: { long }, now: '1' });
    calls.finish(`${n}`, { output: long, error: null, now: '2' });
    t.ok(Buffer.byteLength(calls.json) <= max);
  }
  const all = kept(calls);
  t.equal(all.length, 800, 'no call is missing');
  t.equal(all.at(-1)?.output, long);
  t.match(all[0], { id: '0', name: 'dig', output: '', finished_at: '2' });
});

t.test('the earliest calls are dropped if even their names are too large', async (t) => {
  const calls = new ToolCalls();
  for (let n = 0; n < 3_000; n += 1) calls.start({ id: `${n}`, name: 'n'.repeat(1_000), input: {}, now: '1' });
  t.ok(Buffer.byteLength(calls.json) <= max);
  t.equal(calls.finish('0', { output: '', error: null, now: '2' }), undefined);
  t.equal(calls.finish('2999', { output: long, error: null, now: '2' })?.output, long);
  t.ok(Buffer.byteLength(calls.json) <= max);
});

t.test('the serialised calls are cached until something changes', async (t) => {
  const calls = new ToolCalls();
  calls.start({ id: 'c', name: 'dig', input: null, now: '1' });
  const { json } = calls;
  t.equal(calls.json, json);
  calls.finish('c', { output: '', error: null, now: '2' });
  t.not(calls.json, json);
});

t.test('tool calls are stored with the following text and kept with later text', async (t) => {
  await onOneAndTwo(t, async (t, [one, two]) => {
    const client = administrator(two);
    const [written, read] = [gate(), gate()];
    const message = await scripted(one, async (run) => {
      const first = await run.tools.started('dig', { deep: 1 });
      await run.tools.finished(first, { output: 'Earth', error: null });
      await run.tools.started('fill', {});
      for (const piece of ['Dug', ', ', 'filled.']) {
        await run.write(piece);
        await run.approvals.required({ id: piece });
      }
      written.open();
      await read.passed;
    });
    const sent = await client.chat.send(message);
    await written.passed;
    const tool_calls = [
      { name: 'dig', input: { deep: 1 }, output: 'Earth' },
      { name: 'fill', input: {}, output: null },
    ];
    t.match(await replyTo(client, sent), { content: 'Dug, filled.', tool_calls });
    read.open();
    t.match((await converse(client, 'More', sent.session_id)) && (await replyTo(client, sent)), { status: 'completed', tool_calls });
  });
});
