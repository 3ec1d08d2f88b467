import t from 'tap';
import type { AuditEntry } from '../../../../kernel/contract/system.js';
import { Refusals } from '../../../../kernel/platform/audit/refusals.js';
import { until } from '../../../helpers/eventually.js';

interface Row extends AuditEntry {
  times: number;
  last_at: string;
}

const quiet = { log: { warn: () => undefined } };

const refusal = (change: Partial<AuditEntry> = {}): AuditEntry => ({
  at: '2026-11-22T10:00:00.000Z',
  member_id: 7,
  username: 'mia',
  operation: 'members.delete',
  door: 'http',
  via: '',
  address: '192.0.2.1',
  request_id: 'r',
  target: '3',
  outcome: 'forbidden',
  input: {},
  ...change,
});

function store() {
  const rows: Row[] = [];
  return {
    rows,
    async insert(entry: AuditEntry) {
      rows.push({ ...entry, times: 1, last_at: entry.at });
    },
    async count(entry: AuditEntry, seen: { times: number; last_at: string }) {
      Object.assign(rows.find(({ request_id }) => request_id === entry.request_id) as Row, seen);
    },
  };
}

t.test('the first rejection is written at once, and equal ones are counted', async (t) => {
  const table = store();
  const refusals = new Refusals(table, quiet);
  refusals.note(refusal());
  await refusals.settled();
  t.equal(table.rows.length, 1);
  for (let n = 1; n <= 999; n += 1)
    refusals.note(refusal({ request_id: `r${n}`, at: `2026-11-22T10:00:01.${String(n).padStart(3, '0')}Z` }));
  await refusals.flush();
  t.match(table.rows, [{ request_id: 'r', times: 1_000, last_at: '2026-11-22T10:00:01.999Z' }]);
  t.equal(table.rows.length, 1);
});

t.test('after a while the next rejection gets a new row', async (t) => {
  const table = store();
  const refusals = new Refusals(table, { ...quiet, window_ms: 5 });
  for (const request_id of ['a', 'b']) refusals.note(refusal({ request_id }));
  await until(
    async () => table.rows[0]?.times,
    (times) => times === 2,
  );
  refusals.note(refusal({ request_id: 'c' }));
  await refusals.settled();
  t.same(
    table.rows.map(({ request_id, times }) => [request_id, times]),
    [
      ['a', 2],
      ['c', 1],
    ],
  );
});

t.test('a flood of different rejections costs a limited number of rows, and all are counted', async (t) => {
  const table = store();
  const refusals = new Refusals(table, quiet);
  const max = 10_000;
  for (let n = 0; n < max; n += 1) {
    refusals.note(refusal({ request_id: `r${n}`, address: `192.0.2.${n}`, outcome: n % 2 ? 'forbidden' : 'scope_missing' }));
  }
  await refusals.flush();
  t.equal(table.rows.length, 62);
  t.equal(
    table.rows.reduce((sum, { times }) => sum + times, 0),
    max,
  );
  t.match(table.rows.slice(60), [
    { address: '', member_id: 0, target: '', times: (max - 60) / 2 },
    { address: '', member_id: 0, target: '', times: (max - 60) / 2 },
  ]);
});

t.test('a failed write is logged, and the next one is tried', async (t) => {
  const table = store();
  const lines: string[] = [];
  let broken = true;
  const failing = { ...table, insert: (entry: AuditEntry) => (broken ? Promise.reject(new Error('no room')) : table.insert(entry)) };
  const refusals = new Refusals(failing, { log: { warn: (message) => void lines.push(message) } });
  refusals.note(refusal());
  await refusals.settled();
  broken = false;
  refusals.note(refusal({ target: '4', request_id: 'next' }));
  await refusals.settled();
  t.match(lines, [/audit trail/]);
  t.match(table.rows, [{ request_id: 'next' }]);
});
