import t from 'tap';
import type { Audience, Frame, PushedFrames, StreamEvent, StreamEvents } from '../../../../kernel/contract/index.js';
import type { ActiveOperation } from '../../../../kernel/core/catalog/catalog.js';
import { assertedEvents, assertPushed } from '../../../../kernel/core/invoke/assert-events.js';

const operation = {
  events: (j: Parameters<PushedFrames>[0]) => ({ piece: { description: 'A piece.', data: j.object({ text: j.string().required() }) } }),
};
const active = { id: 'things.follow', operation } as unknown as ActiveOperation;

async function* streamOf(...events: StreamEvent[]): AsyncGenerator<StreamEvent> {
  yield* events;
}

async function read(events: StreamEvents): Promise<StreamEvent[]> {
  const found: StreamEvent[] = [];
  for await (const event of events) found.push(event);
  return found;
}

t.test('declared events pass unchanged, with the cursor that they come after', async (t) => {
  const event = { id: '1', type: 'piece', data: { text: 'a' } };
  const asserted = assertedEvents(Object.assign(streamOf(event), { from: '0' }), active);
  t.equal(asserted.from, '0');
  t.same(await read(asserted), [event]);
});

t.test('an event that is not declared, or has another shape, fails', async (t) => {
  await t.rejects(read(assertedEvents(streamOf({ type: 'other', data: {} }), active)), {
    message: "things.follow sent 'other', which it does not declare",
  });
  await t.rejects(read(assertedEvents(streamOf({ type: 'piece', data: { text: 1 } }), active)), { message: /"text" must be a string/ });
  await t.rejects(read(assertedEvents(streamOf({ type: 'piece', data: { text: 'a', more: 1 } }), active)), {
    message: /"more" is not allowed/,
  });
});

t.test('events of operations that declare none pass, as those of plugins', async (t) => {
  const none = { id: 'plugin.follow', operation: {} } as unknown as ActiveOperation;
  t.same(await read(assertedEvents(streamOf({ type: 'any', data: { x: 1 } }), none)), [{ type: 'any', data: { x: 1 } }]);
});

t.test('a reader that leaves ends the stream', async (t) => {
  let ended = false;
  async function* endless(): AsyncGenerator<StreamEvent> {
    try {
      for (;;) yield { type: 'piece', data: { text: 'a' } };
    } finally {
      ended = true;
    }
  }
  for await (const event of assertedEvents(endless(), active)) if (event) break;
  t.ok(ended);
});

t.test('a pushed frame needs a declaration of its type, its audience and its shape', async (t) => {
  const pushed: PushedFrames = (j) => ({
    'thing.changed': { description: 'A thing has changed.', to: ['things'], data: j.object({ id: j.number().required() }) },
    note: { description: 'A note.', to: ['members', 'everyone'], data: j.object({}) },
  });
  const changed = { type: 'thing.changed', data: { id: 1 } };
  const push = (...[to, frame]: [Audience, Frame]) => assertPushed({ extension: 'things', pushed }, to, frame);
  t.doesNotThrow(() => push({ topic: 'things' }, changed));
  t.doesNotThrow(() => push({ members: [1] }, { type: 'note', data: {} }));
  t.doesNotThrow(() => push('everyone', { type: 'note', data: {} }));
  t.throws(() => push({ topic: 'others' }, changed), { message: /pushed to 'others', which is not declared/ });
  t.throws(() => push('everyone', changed), { message: /pushed to 'everyone'/ });
  t.throws(() => push({ topic: 'things' }, { type: 'thing.changed', data: {} }), { message: /"id" is required/ });
  t.throws(() => push({ topic: 'things' }, { type: 'other', data: {} }), { message: /'things' sent 'other'/ });
});

t.test('an extension that declares no frames names them after itself', (t) => {
  const undeclared = { extension: 'acme.news', pushed: undefined };
  t.doesNotThrow(() => assertPushed(undeclared, { topic: 'acme.news.today' }, { type: 'acme.news.told', data: {} }));
  t.throws(() => assertPushed(undeclared, 'everyone', { type: 'note', data: {} }), { message: /does not declare/ });
  t.end();
});
