import t from 'tap';
import { skipWithout } from '../../helpers/parts.js';
import { bounds, judge } from '../bounds.js';
import { web } from '../web.js';

const little = { visits: 1, messages: 2_000, rounds: 1, keys: 20, conversations: 3, minutes: 0.2, starts: 1 };

t.test('the benchmark of the web app measures each figure that has a bound', { skip: skipWithout('chromium') }, async (t) => {
  const rows = await web(little);
  const verdicts = judge(rows, bounds.web ?? []);
  t.ok(verdicts.length > 8);
  for (const { bound, found } of verdicts) t.ok(found.length > 0 && found.every((value) => Number(value) > 0), `${bound}: ${found.join()}`);
  // Bytes, nodes and listeners don't depend on how busy the machine is.
  for (const { bound, found, isKept } of verdicts) if (/^(kib|nodes_|listeners_)/.test(bound)) t.ok(isKept, `${bound}: ${found.join()}`);
});
