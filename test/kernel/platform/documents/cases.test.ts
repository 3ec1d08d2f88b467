import t, { type Test } from 'tap';
import { attacks, documents } from './cases/all.js';
import type { DocumentCase } from './cases/case.js';
import { listen } from './listener.js';
import { text } from './read-here.js';

const distinct = (groups: Readonly<Record<string, readonly DocumentCase[]>>) =>
  new Set(Object.values(groups).flatMap((cases) => cases.map(({ name }) => name))).size;

t.test('there are 60 documents of distinct causes and 30 attacks at least', async (t) => {
  t.ok(distinct(documents) >= 60);
  t.ok(distinct(attacks) >= 30);
});

for (const [claim, cases] of Object.entries({ ...documents, ...attacks })) t.test(claim, (t) => check(t, cases));

async function check(t: Test, cases: readonly DocumentCase[]): Promise<void> {
  const { url, connections } = await listen(t);
  for (const { name, source, make, file, answer } of cases.filter(({ is_heavy }) => is_heavy !== true)) {
    const found = await text(await make(url), file);
    if (typeof answer === 'string') t.equal(found, answer, name, { source });
    else t.match(found, answer, name, { source });
    t.notMatch(found, /root:/, `${name}: no file of this machine`);
  }
  t.equal(connections(), 0);
  t.equal(({} as { polluted?: unknown }).polluted, undefined);
}
