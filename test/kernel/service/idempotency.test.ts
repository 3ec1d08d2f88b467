import t from 'tap';
import { eachPlatform } from '../../helpers/cluster.js';
import { callerOf, fixture, type TestPlatform } from '../../helpers/platform.js';

const extensions = [fixture('ledger')];
const ada = callerOf({ member_id: 7, username: 'ada', role: 'member' });

interface Keyed {
  key?: string;
  caller?: ReturnType<typeof callerOf>;
}

const ask = ({ kernel }: TestPlatform, operation: string, input: object, { key = 'k1', caller = ada }: Keyed = {}) =>
  kernel.invoke(operation, input, caller, { idempotency_key: key });

const texts = async ({ kernel }: TestPlatform) => ((await kernel.invoke('ledger.list', {}, ada)).body as { texts: string[] }).texts;

t.test('the same key gives the first answer and has its effect once', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const first = await ask(platform, 'ledger.add', { text: 'one' });
    t.same(await ask(platform, 'ledger.add', { fail: false, text: 'one' }), first, 'the order of the keys does not matter');
    t.same(await texts(platform), ['one']);
    await ask(platform, 'ledger.add', { text: 'one' }, { key: 'k2' });
    await ask(platform, 'ledger.add', { text: 'one' }, { caller: { ...ada, member_id: 8 } });
    t.same(await texts(platform), ['one', 'one', 'one'], 'another key, and the same key of another member, are other requests');
  }),
);

t.test('the same key for another request is refused', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    await ask(platform, 'ledger.add', { text: 'one' });
    await t.rejects(ask(platform, 'ledger.add', { text: 'two' }), { code: 'idempotency_key_reused', status: 409 });
    await t.rejects(ask(platform, 'ledger.order', { text: 'one' }), { code: 'idempotency_key_reused' });
    t.same(await texts(platform), ['one']);
  }),
);

t.test('twenty requests with one key at once have one effect', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const asked = Array.from({ length: 20 }, () => ask(platform, 'ledger.add', { text: 'one', wait_ms: 20 }));
    const answers = new Set((await Promise.all(asked)).map((answer) => JSON.stringify(answer)));
    t.equal(answers.size, 1);
    t.same(await texts(platform), ['one']);
  }),
);

t.test('a failed effect leaves no key, so that another try is possible', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (const operation of ['ledger.add', 'ledger.order']) {
      await t.rejects(ask(platform, operation, { text: 'one', fail: true }, { key: operation }), { code: 'ledger_failed' });
      t.match(await ask(platform, operation, { text: 'two' }, { key: operation }), { status: operation === 'ledger.add' ? 201 : 200 });
    }
    t.same(await texts(platform), ['two']);
  }),
);

t.test('while an effect outside of the database runs, its key is taken', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    const order = () => ask(platform, 'ledger.order', { text: 'one', wait_ms: 1_000 });
    const outcomes = await Promise.allSettled([order(), order()]);
    const answers = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.body] : []));
    const refusals = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    t.same(answers, [{ number: 1 }], 'whichever of the two comes first: exactly one runs');
    t.match(refusals, [{ code: 'idempotency_in_progress', status: 409, retry_after: 1 }]);
    t.same((await order()).body, { number: 1 });
  }),
);

t.test('a key outlives the process', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform, again) => {
    const first = await ask(platform, 'ledger.add', { text: 'one' });
    await platform.kernel.close();
    const next = await again();
    t.same(await ask(next, 'ledger.add', { text: 'one' }), first);
    t.same(await texts(next), ['one']);
  }),
);

t.test('without a key, or without a member, each request is its own', (t) =>
  eachPlatform(t, { listen: false, extensions }, async (t, platform) => {
    for (let n = 0; n < 2; n += 1) await platform.kernel.invoke('ledger.add', { text: 'one' }, ada);
    t.same(await texts(platform), ['one', 'one']);
  }),
);
