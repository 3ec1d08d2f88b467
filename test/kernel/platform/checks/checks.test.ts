import t from 'tap';
import type { CheckResult } from '../../../../kernel/contract/index.js';
import { Checks } from '../../../../kernel/platform/checks/checks.js';

function world() {
  let now = 0;
  const checks = new Checks({ iso: () => new Date(now).toISOString() }, 50);
  return {
    at: (seconds: number) => (now = seconds * 1000),
    keep: (isThere: (extension: string) => boolean) => checks.forgetRemoved(isThere),
    run: (probe: () => Promise<CheckResult | undefined>) => checks.run([{ extension: 'x', code: 'y', probe }]),
  };
}

t.test('a red check is reported with the time since which it is red, until it is green', async (t) => {
  const { at, run } = world();
  const red = async () => ({ ok: false, message: 'no', fix: 'do this' });
  const wanted = { extension: 'x', code: 'y', ok: false, message: 'no', fix: 'do this' };
  t.same(await run(red), [{ ...wanted, since: null }], 'the check has just become red');
  at(60);
  t.same(await run(red), [{ ...wanted, since: '1970-01-01T00:00:00.000Z' }]);
  t.same(await run(async () => ({ ok: true, message: 'yes', fix: 'nothing' })), [
    { extension: 'x', code: 'y', ok: true, message: 'yes', since: null, fix: null },
  ]);
  await run(red);
  at(120);
  t.match(await run(red), [{ since: '1970-01-01T00:01:00.000Z' }], 'the time starts anew');
  await run(async () => undefined);
  t.match(await run(red), [{ since: null }], 'the time of a check that did not apply meanwhile is forgotten');
  t.match(await run(async () => ({ ok: false, message: '', since: '2020-01-01T00:00:00.000Z' })), [{ since: '2020-01-01T00:00:00.000Z' }]);
});

t.test('the checks of removed extensions are forgotten', async (t) => {
  const { at, run, keep } = world();
  const red = async () => ({ ok: false, message: 'no' });
  await run(red);
  at(60);
  keep((extension) => extension === 'x');
  t.match(await run(red), [{ since: '1970-01-01T00:00:00.000Z' }]);
  keep((extension) => extension !== 'x');
  t.match(await run(red), [{ since: null }]);
});

t.test('a failing or hanging check is red, and an inapplicable one is not reported', async (t) => {
  const { run } = world();
  t.match(await run(() => Promise.reject(new Error('broken'))), [{ ok: false, message: 'broken' }]);
  t.match(await run(() => new Promise(() => undefined)), [{ ok: false, message: 'The check did not end within 0.05 s' }]);
  t.same(await run(async () => undefined), []);
});
