import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Hints } from '../../../../kernel/client/browser/hints.js';
import { Watchdog } from '../../../../kernel/client/browser/watchdog.js';
import { becomes } from '../../../helpers/eventually.js';

const failure = (silence_ms: number) => `silent for ${silence_ms}`;
const reasonOf = ({ signal }: Watchdog) => (signal.aborted ? signal.reason : undefined);

t.test('a silence ends the request, but one that goes on does not', async (t) => {
  const watchdog = new Watchdog({ limit_ms: 200, hints: new Hints(), failure, signals: [] });
  for (let n = 0; n < 6; n += 1) {
    await sleep(50);
    watchdog.fed();
  }
  t.equal(reasonOf(watchdog), undefined);
  await becomes(t, () => reasonOf(watchdog), 'silent for 200');
});

t.test('a hint shortens the present silence alone', async (t) => {
  const hints = new Hints();
  const make = (hurried_ms?: number) => new Watchdog({ limit_ms: 600_000, hurried_ms, hints, failure, signals: [] });
  const [stream, alive, call] = [make(30), make(60), make()];
  hints.give('visible');
  await sleep(20);
  alive.fed();
  await becomes(t, () => reasonOf(stream), 'silent for 30');
  await sleep(60);
  t.same([reasonOf(alive), reasonOf(call)], [undefined, undefined]);
  for (const watchdog of [alive, call]) watchdog.stop();
});

t.test('the first signal ends the request with its reason, also if it came before', async (t) => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signals = [undefined, first.signal, second.signal];
  const watchdog = new Watchdog({ limit_ms: 600_000, hints: new Hints(), failure, signals });
  second.abort('second');
  first.abort('first');
  t.equal(reasonOf(watchdog), 'second');
  t.equal(reasonOf(new Watchdog({ limit_ms: 600_000, hints: new Hints(), failure, signals })), 'first');
});

t.test('a wait ends early for a hint of a network and for a signal', async (t) => {
  const hints = new Hints();
  const controller = new AbortController();
  const ended: string[] = [];
  const wait = (name: string, signal?: AbortSignal) => hints.wait(600_000, signal).then(() => void ended.push(name));
  const waits = [wait('hint'), wait('signal', controller.signal)];
  hints.give('offline');
  await sleep(5);
  t.same(ended, []);
  controller.abort();
  await becomes(t, () => ended, ['signal']);
  hints.give('online');
  await Promise.all(waits);
  await hints.wait(600_000, controller.signal);
  await hints.wait(1);
  t.same(ended, ['signal', 'hint']);
});
