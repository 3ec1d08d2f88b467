import t from 'tap';
import { Traffic } from '../../../../kernel/platform/http/traffic.js';

function counting() {
  let now = 5_000_250;
  const traffic = new Traffic({ now: () => now });
  const answer = (times: number, status = 200) => {
    for (let time = 0; time < times; time++) traffic.record(status);
  };
  const pass = (ms: number) => {
    now += ms;
  };
  return { traffic, answer, pass };
}

t.test('the rate of a new server covers the time that it has run', (t) => {
  const { traffic, answer, pass } = counting();
  t.same(traffic.figures(), { requests: 0, errors: 0, requests_per_second: 0, errors_per_minute: 0 });
  answer(30);
  pass(10_000);
  t.same(traffic.figures(), { requests: 30, errors: 0, requests_per_second: 3, errors_per_minute: 0 });
  t.end();
});

t.test('requests older than a minute count only in the totals', (t) => {
  const { traffic, answer, pass } = counting();
  answer(100, 500);
  pass(30_000);
  answer(59, 404);
  pass(29_700);
  t.match(traffic.figures(), { requests: 159, errors: 100, errors_per_minute: 100 });
  pass(300);
  t.same(traffic.figures(), { requests: 159, errors: 100, requests_per_second: 1, errors_per_minute: 0 });
  pass(24 * 3_600_000);
  t.match(traffic.figures(), { requests: 159, requests_per_second: 0 });
  answer(1, 503);
  t.match(traffic.figures(), { requests: 160, errors: 101, errors_per_minute: 1 });
  t.end();
});
