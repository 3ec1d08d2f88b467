import t from 'tap';
import { Idempotency } from '../../../../kernel/core/invoke/idempotency.js';
import type { Data } from '../../../../kernel/platform/data/hub.js';
import { eachPlatform } from '../../../helpers/cluster.js';
import { eachDatabase } from '../../../helpers/databases.js';
import { callerOf, fixture, type TestPlatform } from '../../../helpers/platform.js';

const extensions = [fixture('ledger')];
const ada = callerOf({ member_id: 7, username: 'ada', role: 'member' });

interface Keyed {
  key?: string;
  caller?: ReturnType<typeof callerOf>;
}

const ask = ({ kernel }: TestPlatform, operation: string, input: object, { key = 'k1', caller = ada }: Keyed = {}) =>
  kernel.invoke(operation, input, caller, { idempotency_key: key });

const texts = async ({ kernel }: TestPlatform) => ((await kernel.invoke('ledger.list', {}, ada)).body as { texts: string[] }).texts;

t.test('a repeated key returns the first answer and has one effect', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const first = await ask(platform, 'ledger.add', { text: 'one' });
    t.same(await ask(platform, 'ledger.add', { fail: false, text: 'one' }), first, 'the order of the keys does not matter');
    t.same(await texts(platform), ['one']);
    await ask(platform, 'ledger.add', { text: 'one' }, { key: 'k2' });
    await ask(platform, 'ledger.add', { text: 'one' }, { caller: { ...ada, member_id: 8 } });
    t.same(await texts(platform), ['one', 'one', 'one'], 'another key, and the same key of another member, are other requests');
  }),
);

t.test('the same key for another request is rejected', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await ask(platform, 'ledger.add', { text: 'one' });
    await t.rejects(ask(platform, 'ledger.add', { text: 'two' }), { code: 'idempotency_key_reused', status: 409 });
    await t.rejects(ask(platform, 'ledger.order', { text: 'one' }), { code: 'idempotency_key_reused' });
    t.same(await texts(platform), ['one']);
  }),
);

t.test('twenty concurrent requests with one key have one effect', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const asked = Array.from({ length: 20 }, () => ask(platform, 'ledger.add', { text: 'one', wait_ms: 20 }));
    const answers = new Set((await Promise.all(asked)).map((answer) => JSON.stringify(answer)));
    t.equal(answers.size, 1);
    t.same(await texts(platform), ['one']);
  }),
);

t.test('a prepared request is released if another with its key was answered in between', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const asked = Array.from({ length: 5 }, () => ask(platform, 'ledger.reserve', { text: 'one', wait_ms: 50 }));
    const answers = new Set((await Promise.all(asked)).map((answer) => JSON.stringify(answer)));
    t.equal(answers.size, 1);
    t.same(await texts(platform), ['one']);
    t.match(await platform.kernel.invoke('ledger.reserved', {}, ada), { body: { places: 1 } });
  }),
);

t.test('a failed effect releases its key for a retry', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (const operation of ['ledger.add', 'ledger.order']) {
      await t.rejects(ask(platform, operation, { text: 'one', fail: true }, { key: operation }), { code: 'ledger_failed' });
      t.match(await ask(platform, operation, { text: 'two' }, { key: operation }), { status: operation === 'ledger.add' ? 201 : 200 });
    }
    t.same(await texts(platform), ['two']);
  }),
);

t.test('a key stays claimed while its effect outside the database runs', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const order = () => ask(platform, 'ledger.order', { text: 'one', wait_ms: 1_000 });
    const outcomes = await Promise.allSettled([order(), order()]);
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.body] : []));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    t.same(answers, [{ number: 1 }], 'exactly one of the two runs, whichever comes first');
    t.match(refusals, [{ code: 'idempotency_in_progress', status: 409, retry_after: 1 }]);
    t.same((await order()).body, { number: 1 });
  }),
);

t.test('a key survives a restart', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform, again) => {
    const first = await ask(platform, 'ledger.add', { text: 'one' });
    await platform.kernel.close();
    const next = await again();
    t.same(await ask(next, 'ledger.add', { text: 'one' }), first);
    t.same(await texts(next), ['one']);
  }),
);

t.test('requests without a key or a member are independent', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (let n = 0; n < 2; n += 1) await platform.kernel.invoke('ledger.add', { text: 'one' }, ada);
    t.same(await texts(platform), ['one', 'one']);
  }),
);

const minute_ms = 60_000;
const hour_ms = 60 * minute_ms;
const done = (n: number) => Promise.resolve({ status: 200, body: { n } });

function gate(): { opened: Promise<void>; open: () => void } {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Two instances at one database, whose time is what `at` says. */
function instances(data: Data) {
  const at = { ms: 0 };
  const clock = { now: () => Date.parse('2026-11-22T20:00:00Z') + at.ms };
  const open = (instance: string) => new Idempotency({ data, clock, instance, hash_key: Buffer.alloc(32) });
  const keyed = { member_id: 7, key: 'k1', operation: 'backup', input: {}, timeout_ms: 2 * hour_ms, transactional: false };
  return { at, keyed, first: open('first'), second: open('second') };
}

t.test('a long operation keeps its key for its whole time limit', (t) =>
  eachDatabase(t, async (t, data) => {
    const { at, keyed, first, second } = instances(data);
    await first.run(keyed, async () => {
      at.ms = 2 * hour_ms + minute_ms;
      await t.rejects(
        second.run(keyed, () => done(2)),
        { code: 'idempotency_in_progress' },
      );
      const other = { ...keyed, operation: 'order', timeout_ms: 1_000 };
      await t.rejects(
        second.run(other, () => done(3)),
        { code: 'idempotency_key_reused' },
      );
      return done(1);
    });
    t.same((await second.run(keyed, () => done(4))).body, { n: 1 });
  }),
);

t.test('a request that counted as lost does not change a key claimed since', (t) =>
  eachDatabase(t, async (t, data) => {
    const { at, keyed, first, second } = instances(data);
    const began = gate();
    const end = gate();
    const overtaken = first.run(keyed, async () => {
      began.open();
      await end.opened;
      throw new Error('ended late');
    });
    await began.opened;
    at.ms = 3 * hour_ms;
    await second.run(keyed, async () => {
      end.open();
      await t.rejects(overtaken, /ended late/);
      await t.rejects(
        first.run(keyed, () => done(3)),
        { code: 'idempotency_in_progress' },
      );
      return done(2);
    });
    t.same((await first.run(keyed, () => done(4))).body, { n: 2 });
  }),
);

t.test('an effect whose answer could not be stored is not repeated', (t) =>
  eachDatabase(t, async (t, data) => {
    const { keyed, first } = instances(data);
    const db = data.facade('kernel');
    const effect = async () => {
      await db.run('ALTER TABLE kernel_idempotency RENAME COLUMN answer TO away');
      return done(1);
    };
    await t.rejects(first.run(keyed, effect), /answer/);
    await db.run('ALTER TABLE kernel_idempotency RENAME COLUMN away TO answer');
    await t.rejects(
      first.run(keyed, () => done(2)),
      { code: 'idempotency_in_progress' },
    );
  }),
);
