import t from 'tap';
import chat from '../../../../extensions/chat/index.js';
import { defineModels } from '../../../../extensions/chat/models.js';
import type { Ports } from '../../../../extensions/chat/ports.js';
import { Readers } from '../../../../extensions/chat/replies/readers.js';
import { Sessions } from '../../../../extensions/chat/store/sessions-sql.js';
import { eachDatabase, silentLog } from '../../../helpers/databases.js';

const now = '2026-11-20T12:00:00.000Z';
const [host, guest] = [1, 2];
/** As where the word of other instances gets lost. */
const deaf = { publish: async () => undefined, subscribe: async () => async () => undefined } as unknown as Ports['bus'];
const clock = { now: () => Date.now() } as Ports['clock'];
const session = { title: '', target_type: '', created_by: host, target_id: '', partner: undefined, now } as const;

t.test('the recheck disconnects a removed reader without an announcement; others continue', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('chat', chat.migrations);
    const db = data.facade('chat');
    const sessions = new Sessions(db, defineModels(db));
    const readers = await new Readers({ bus: deaf, clock, log: silentLog, sessions, track: () => undefined }).listen();
    for (const id of ['one', 'two']) {
      await sessions.create({ ...session, id });
      await sessions.addGuest(id, { member_id: guest, host_id: host, now });
    }
    const enter = (session_id: string, member_id: number) => readers.enter({ session_id, member_id }, { reads: session_id === 'one' });
    const [mine, taken, twice, other] = [enter('one', host), enter('one', guest), enter('one', guest), enter('two', guest)];
    t.same(
      [readers.isReading({ session_id: 'one', member_id: guest }), readers.isReading({ session_id: 'two', member_id: guest })],
      [true, false],
    );
    await sessions.hide('one', host);
    await readers.recheck();
    t.same(
      [mine, taken, twice, other].map(({ signal }) => signal.aborted),
      [false, false, false, false],
    );
    await sessions.removeGuest('one', guest);
    await readers.recheck();
    t.same(
      [mine, taken, twice, other].map(({ signal }) => signal.aborted),
      [false, true, true, false],
    );
    t.match(taken.signal.reason, { code: 'session_not_found' });
    for (const place of [mine, taken, twice, other]) place.leave();
    t.notOk(readers.isReading({ session_id: 'one', member_id: guest }));
    await readers.recheck();
    await readers.dispose();
  });
});

/** The bus of several instances in one process. */
function sharedBus(): Ports['bus'] {
  const handlers = new Set<(message: never) => void>();
  return {
    publish: async (_channel: string, message: never) => {
      for (const handler of [...handlers]) handler(message);
    },
    subscribe: async (_channel: string, handler: (message: never) => void) => {
      handlers.add(handler);
      return async () => void handlers.delete(handler);
    },
  } as unknown as Ports['bus'];
}

t.test('a member that reads on one instance counts as reading on all until its stream ends or its instance is silent', async (t) => {
  const bus = sharedBus();
  let now = 0;
  const parts = { bus, clock: { now: () => now } as Ports['clock'], log: silentLog, sessions: {} as Sessions, track: () => undefined };
  const [one, two] = [await new Readers(parts).listen(), await new Readers(parts).listen()];
  const reader = { session_id: 'one', member_id: guest };
  const isReading = (...instances: Readers[]) => instances.map((readers) => readers.isReading(reader));
  const place = one.enter(reader, { reads: true });
  one.enter({ session_id: 'two', member_id: guest }, { reads: false });
  t.same(isReading(one, two), [true, true]);
  t.notOk(two.isReading({ session_id: 'two', member_id: guest }), 'the platform itself does not count as a reader');
  const late = await new Readers(parts).listen();
  t.same(isReading(late), [true], 'an instance that starts later asks for the readers');
  const again = one.enter(reader, { reads: true });
  place.leave();
  t.same(isReading(one, two), [true, true], 'a second stream is still open');
  again.leave();
  t.same(isReading(one, two, late), [false, false, false]);
  one.enter(reader, { reads: true });
  now += 3 * 60_000;
  t.same(isReading(one, two), [true, false], 'a reader that is not repeated in time no longer counts');
  for (const readers of [one, two, late]) await readers.dispose();
});
