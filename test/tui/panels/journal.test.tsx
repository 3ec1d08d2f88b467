import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import panel from '../../../tui/journal/panel.js';
import { drawPanel, FakeLive } from '../drawn.js';

/** A journal that is not paused would have drawn by then. */
const two_draws_ms = 300;

const journal = (t: Parameters<typeof drawPanel>[0], columns = 80) => {
  const live = new FakeLive();
  return { live, drawn: drawPanel(t, panel, { client: {}, live, size: { columns, rows: 10 } }) };
};

t.test('lists events, newest first, without those of the connection', async (t) => {
  const { live, drawn } = journal(t);
  await drawn.shows('No events since the dashboard was opened');
  t.ok(live.wanted.has('log'));
  live.tell('hello');
  live.tell('node.changed', { id: 7, state: 'failed' });
  live.tell('log', { level: 'info', msg: 'A line\u001B[2J\nof two' });
  await drawn.shows('2 events');
  t.match(drawn.lines[2], /^> 03:04:05\.000 +log +A line.*of two level=info/);
  t.match(drawn.lines[3], /^ {2}03:04:05\.000 +node\.changed +id=7 state=failed/);
  t.notMatch(drawn.frame, '[2J');
});

t.test("an event's texts come first, then its other values except empty ones", async (t) => {
  const { live, drawn } = journal(t, 100);
  const about = { session_id: null, link: '', node_id: 3 };
  live.tell('notification', { id: 1, source: 'system', title: 'The table is booked', summary: 'At eight.', ...about });
  await drawn.shows(/notification +The table is booked: At eight\. id=1 source/);
  live.tell('message.created', { message: { id: 'm1', sender_name: 'Grace', content: 'Is it\ndone?' }, truncated: false });
  await drawn.shows(/message\.created +Grace: Is it done\? message=/);
  live.tell('node.updated', { id: 7, name: 'build-1', status: 'offline', reason: null });
  await drawn.shows(/node\.updated +build-1 id=7 status=offline$/m);
  t.notMatch(drawn.frame, /session_id|link=/);
});

t.test('a paused journal stands still but keeps listening, and a cleared one is empty', async (t) => {
  const { live, drawn } = journal(t);
  live.tell('one');
  await drawn.shows('1 event');
  drawn.press('p');
  await drawn.shows('1 event  paused');
  live.tell('two');
  await sleep(two_draws_ms);
  t.notMatch(drawn.frame, 'two');
  drawn.press('p');
  await drawn.shows(/> .* two/);
  drawn.press('c');
  await drawn.shows('No events since');
});

t.test('the last 1,000 of very many events are shown in a frame of constant height', async (t) => {
  const { live, drawn } = journal(t);
  for (let n = 1; n <= 5_000; n += 1) live.tell('told', { n });
  await drawn.shows(/5,?000 events, the last 1,?000 are shown/);
  t.match(drawn.lines[2], 'n=5000');
  t.equal(drawn.lines.length, 10);
  drawn.press('G');
  await drawn.shows('n=4001');
  drawn.press('enter');
  await drawn.shows('"n": 4001');
});
