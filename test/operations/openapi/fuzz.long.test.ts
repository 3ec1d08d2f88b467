import t from 'tap';
import { Side } from '../side.js';
import { readDocument } from './document.js';
import { fuzz } from './fuzz.js';

/** For a long run: how many minutes, and another seed than the usual one. */
const { FUZZ_MINUTES, FUZZ_SEED } = process.env;
const seed = Number(FUZZ_SEED ?? 20_261_122);
const amount = FUZZ_MINUTES ? { requests: 10_000_000, limit_ms: Number(FUZZ_MINUTES) * 60_000 } : { requests: 2_500, limit_ms: 12_000 };

t.test('answers to fuzzed requests match the document', { timeout: amount.limit_ms + 60_000 }, async (t) => {
  const { platform, tokens } = await Side.start(t, 'http');
  const askers = (['admin', 'ada', 'bob', 'reader'] as const).map((asker) => tokens.get(asker));
  const { url, lines } = platform;
  const report = await fuzz({ url, tokens: [...askers, undefined], seed, ...amount });
  t.same(report.faults, []);
  t.same(
    lines.filter(({ level }) => level === 'error' || level === 'fatal'),
    [],
  );
  const all = await readDocument(url);
  t.ok(all.length > 100, `${all.length} operations are documented`);
  const asked = Object.values(report.statuses).reduce((sum, count) => sum + count, 0);
  t.ok(asked > 200, `${asked} requests: ${JSON.stringify(report.statuses)}`);
  t.ok((report.statuses[200] ?? 0) > asked / 10, `many succeed: ${JSON.stringify(report.statuses)}`);
  t.comment(`${report.succeeded.size} operations succeeded`);
});
