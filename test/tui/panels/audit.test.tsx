import t from 'tap';
import { failures } from '../../../kernel/contract/failure.js';
import type { AuditQuery, AuditRecord } from '../../../kernel/contract/system.js';
import panel from '../../../tui/audit/panel.js';
import { becomes } from '../../helpers/eventually.js';
import { drawPanel } from '../drawn.js';

const fail = failures({ invalid_input: 400 });

const row = (id: number, change: Partial<AuditRecord> = {}): AuditRecord => ({
  id,
  at: '2026-01-02T03:04:05.000Z',
  last_at: '2026-01-02T03:04:05.000Z',
  member_id: 1,
  username: 'ada',
  operation: 'members.create',
  door: 'http',
  via: '',
  address: '192.0.2.1',
  request_id: `request-${id}`,
  target: String(id),
  outcome: 'success',
  times: 1,
  input: { username: `person-${id}` },
  ...change,
});

/** A trail as the operation gives it: the latest first, filtered, a page at a time. */
function trailOf(rows: AuditRecord[]) {
  const asked: Partial<AuditQuery>[] = [];
  const list = async ({ limit, before, ...query }: AuditQuery) => {
    asked.push(query);
    if (query.from === 'yesterday')
      throw fail('invalid_input', 'The input is not valid', { details: [{ path: 'from', message: "'from' must be an ISO 8601 time" }] });
    const matches = (each: AuditRecord) =>
      (query.member_id === undefined || each.member_id === query.member_id) &&
      (query.operation === undefined || each.operation === query.operation) &&
      (query.outcome !== 'refused' || each.outcome !== 'success');
    return rows.filter((each) => matches(each) && (before === undefined || each.id < before)).slice(0, limit);
  };
  return { asked, client: { audit: { list } } };
}

const some = [
  row(3, {
    outcome: 'forbidden',
    member_id: 2,
    username: 'grace',
    operation: 'nodes.delete',
    times: 7,
    last_at: '2026-01-02T03:05:00.000Z',
  }),
  row(2, { member_id: 0, username: '', operation: 'http.limit', outcome: 'rate_limited', address: '2001:db8:0:7::/64', target: '' }),
  row(4, { member_id: 0, username: 'grace', operation: 'auth.login', outcome: 'invalid_credentials', target: '2' }),
  row(1, { input: { note: 'bell\u0007 and \u001B[31mred' } }),
];

t.test('the panel lists who did what, and enter shows all of a row without terminal controls', async (t) => {
  const drawn = drawPanel(t, panel, { ...trailOf(some), size: { columns: 100, rows: 20 } });
  await drawn.shows('all operations, done and refused, page 1');
  await drawn.shows(/> 2026-01-02 03:04 +grace +nodes\.delete +3 +forbidden +7 +http/);
  t.match(drawn.frame, / {2}2026-01-02 03:04 +- +http\.limit +rate_limited +1 +http/);
  drawn.press('enter');
  await drawn.shows(/Who +grace \(2\)/);
  t.match(drawn.frame, /Times +7, the last at 2026-01-02T03:05:00\.000Z/);
  drawn.press('esc', 'down', 'enter');
  await drawn.shows(/Who +unknown caller(?!,)/);
  drawn.press('esc', 'down', 'enter');
  await drawn.shows(/Who +unknown caller, as grace/);
  drawn.press('esc', 'down', 'enter');
  await drawn.shows(/"note": "bell/);
  for (const obeyed of ['\u0007', '\u001B']) t.notOk(drawn.frame.includes(obeyed));
});

t.test('rows are searched by member, operation or outcome, from a row or by a form', async (t) => {
  const { client, asked } = trailOf(some);
  const drawn = drawPanel(t, panel, { client, size: { columns: 100, rows: 20 } });
  const only = (name: string) => drawn.becomes((frame) => frame.includes(name) && !frame.includes('ada'), `${name} alone`);
  await drawn.shows('grace');
  drawn.press('w');
  await drawn.shows('member 2, page 1');
  await only('grace');
  drawn.press('t');
  await drawn.shows('member 2, operation nodes.delete, page 1');
  await becomes(t, () => asked.at(-1), { member_id: 2, operation: 'nodes.delete' });
  drawn.press('c');
  await drawn.shows('all operations');
  await drawn.shows('ada');
  t.notOk(drawn.offered.includes('c clear search'));

  drawn.press('f', 'enter', 'enter', 'enter');
  await drawn.shows('empty fields match everything');
  drawn.type('refused');
  drawn.press('enter');
  drawn.type('yesterday');
  drawn.press('enter', 'enter');
  await drawn.shows("'from' must be an ISO 8601 time");
  await drawn.shows('yesterday_');
  drawn.press(...Array.from({ length: 9 }, () => 'backspace'), 'enter', 'enter');
  await drawn.shows('outcome refused, page 1');
  await only('grace');
});

t.test('a long trail is paged forwards and back', async (t) => {
  const rows = Array.from({ length: 250 }, (_, n) => row(250 - n));
  const drawn = drawPanel(t, panel, trailOf(rows));
  await drawn.shows(/> .* 250 +success/);
  t.notOk(drawn.offered.includes('n newer'));
  drawn.press('o');
  await drawn.shows(/> .* 150 +success/);
  await drawn.shows('page 2');
  drawn.press('o');
  await drawn.shows(/> .* 50 +success/);
  t.notOk(drawn.offered.includes('o older'), 'there are no more pages');
  drawn.press('n', 'n');
  await drawn.shows(/> .* 250 +success/);
  t.equal(drawn.lines.length <= 20, true, 'the panel is not taller than allowed');
});

t.test('an unreadable trail, and an empty one, are reported', async (t) => {
  const list = async () => {
    throw fail('invalid_input', 'The trail is away');
  };
  await drawPanel(t, panel, { client: { audit: { list } } }).shows('The trail is away (invalid_input)');
  await drawPanel(t, panel, trailOf([])).shows('No records yet');
});
