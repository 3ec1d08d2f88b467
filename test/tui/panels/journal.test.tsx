import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import panel from '../../../tui/journal/panel.js';
import { drawPanel, FakeLive } from '../drawn.js';

/** A journal that is not paused would have drawn by then. */
const two_draws_ms = 300;

const journal = (t: Parameters<typeof drawPanel>[0]) => {
  const live = new FakeLive();
  return { live, drawn: drawPanel(t, panel, { client: {}, live, size: { columns: 80, rows: 10 } }) };
};

t.test('what happens is there, the newest first, and nothing of the connection itself', async (t) => {
  const { live, drawn } = journal(t);
  await drawn.shows('Nothing has happened since this was opened');
  t.ok(live.wanted.has('log'));
  live.tell('hello');
  live.tell('node.changed', { id: 7, state: 'failed' });
  live.tell('log', { level: 'info', msg: 'A line\u001B[2J\nof two' });
  await drawn.shows('2 events');
  t.match(drawn.lines[2], /^> 03:04:05\.000 +log +A line.*of two level=info/);
  t.match(drawn.lines[3], /^ {2}03:04:05\.000 +node\.changed +id=7 state=failed/);
  t.notMatch(drawn.frame, '[2J');
});

t.test('paused it stands still while it goes on listening; cleared it is empty', async (t) => {
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
  await drawn.shows('Nothing has happened');
});

t.test('of very many the last 1,000 are kept, in a frame that stays as high', async (t) => {
  const { live, drawn } = journal(t);
  for (let n = 1; n <= 5_000; n += 1) live.tell('told', { n });
  await drawn.shows(/5,?000 events, the last 1,?000 are kept/);
  t.match(drawn.lines[2], 'n=5000');
  t.equal(drawn.lines.length, 10);
  drawn.press('G');
  await drawn.shows('n=4001');
  drawn.press('enter');
  await drawn.shows('"n": 4001');
});
