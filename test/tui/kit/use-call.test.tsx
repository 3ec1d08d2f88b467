import { useState } from 'react';
import t, { type Test } from 'tap';
import { fail } from '../../../kernel/contract/failure.js';
import { Text } from '../../../tui/kit/text.js';
import { type CallTimes, useCall } from '../../../tui/kit/use-call.js';
import { useKeys } from '../../../tui/kit/use-keys.js';
import { until } from '../../helpers/eventually.js';
import { Drawn, FakeLive } from '../drawn.js';

/** Draws the answer of a call; `d` changes what it depends on, `a` reads it again. */
function calling(t: Test, read: (signal: AbortSignal) => Promise<unknown>, times: CallTimes = {}) {
  const live = new FakeLive();
  function Called() {
    const [dep, setDep] = useState(0);
    const { loading, value, error, again } = useCall(read, [dep], times);
    useKeys(
      [
        { key: 'd', label: 'change', run: () => setDep(dep + 1) },
        { key: 'a', label: 'again', run: again },
      ],
      true,
    );
    return <Text>{`${loading ? 'loading' : 'read'} ${String(value)} ${error?.code ?? 'well'}`}</Text>;
  }
  return { live, drawn: new Drawn(t, <Called />, { live }) };
}

/** Answers 1, 2, 3. */
function counter() {
  const counted = { calls: 0, read: async () => ++counted.calls };
  return counted;
}

t.test('a call reads once, and again on request or after a frame', async (t) => {
  const counted = counter();
  const { live, drawn } = calling(t, counted.read, { on: ['node.*'] });
  await drawn.shows('read 1 well');
  live.tell('schedule.run');
  drawn.press('a');
  await drawn.shows('read 2 well');
  live.tell('node.updated');
  await drawn.shows('read 3 well');
  live.tell('resync');
  await drawn.shows('read 4 well');
  live.change({ state: 'waiting', reason: 'lost', since: 0 });
  live.change({ state: 'open' });
  await drawn.shows('read 5 well');
});

t.test('a call is repeated after a pause, and a failure keeps the previous value', async (t) => {
  let calls = 0;
  const read = async () => {
    calls += 1;
    if (calls === 2) throw fail('extension_unavailable', 'It is away');
    return calls;
  };
  const { drawn } = calling(t, read, { every_ms: 30 });
  await drawn.shows('read 1 well');
  await drawn.becomes((frame) => frame.includes('1 extension_unavailable') || frame.includes('3 well'), 'told or mended');
  await drawn.shows(/read ([3-9]|\d\d) well/);
});

t.test('a changed dependency clears the old value and aborts its call', async (t) => {
  const signals: AbortSignal[] = [];
  const read = (signal: AbortSignal) => {
    signals.push(signal);
    return signals.length === 1 ? Promise.resolve('old') : new Promise(() => undefined);
  };
  const { drawn } = calling(t, read);
  await drawn.shows('read old well');
  drawn.press('d');
  await drawn.shows('loading undefined');
  drawn.press('d');
  await until(
    () => signals.length,
    (length) => length === 3,
  );
  t.same(
    signals.map(({ aborted }) => aborted),
    [true, true, false],
  );
});
