import t, { type Test } from 'tap';
import { widthOf } from '../../../tui/kit/cells.js';
import { type Column, Records, type RecordsProps, Text } from '../../../tui/kit/index.js';
import { Drawn, type DrawOptions } from '../drawn.js';

interface Row {
  id: number;
  name: string;
}

const columns: Column<Row>[] = [
  { title: 'id', value: ({ id }) => id, align: 'right' },
  { title: 'name', value: ({ name }) => name, grow: true },
];
const some: Row[] = [
  { id: 1, name: 'Ada' },
  { id: 2, name: 'Grace' },
  { id: 3, name: 'Edsger' },
];
const many = Array.from({ length: 50 }, (_each, index): Row => ({ id: index + 1, name: `member ${index + 1}` }));

const printable = (frame: string) => frame.replace(/(?!\n)[\p{Cc}\u202E]/gu, '');

function list(t: Test, props: Partial<RecordsProps<Row>> = {}, options: DrawOptions = {}): Drawn {
  const records = <Records rows={some} columns={columns} idOf={({ id }) => id} {...props} />;
  return new Drawn(t, records, { size: { columns: 40, rows: 8 }, ...options });
}

t.test('a list shows its rows under a heading, or a text if it is empty', async (t) => {
  t.same(list(t).lines.slice(0, 4), ['  ID  NAME', '>  1  Ada', '   2  Grace', '   3  Edsger']);
  t.match(list(t, { rows: undefined }).frame, 'Loading …');
  t.match(list(t, { rows: [], empty: 'Nobody is here' }).frame, 'Nobody is here');
  const failed = list(t, { rows: undefined, error: { code: 'unreachable', message: 'Nothing listens there' } });
  t.match(failed.frame, 'Nothing listens there (unreachable)');
  t.notMatch(failed.frame, 'Reading');
});

t.test('the selected row is always visible, whatever key moves it', async (t) => {
  const drawn = list(t, { rows: many });
  const steps: [string, string][] = [
    ['j', 'member 2'],
    ['down', 'member 3'],
    ['pgdn', 'member 10'],
    ['G', 'member 50'],
    ['up', 'member 49'],
    ['g', 'member 1'],
    ['k', 'member 1'],
  ];
  for (const [key, wanted] of steps) {
    drawn.press(key);
    await drawn.shows(new RegExp(`^> +\\d+ +${wanted}\\s*$`, 'm'));
    t.equal(drawn.lines.length, 8, `${key}: the list is not taller than its place`);
  }
});

t.test('keys that arrive together are applied one after the other', async (t) => {
  const drawn = list(t, { details: ({ name }) => <Text>{`All of ${name}`}</Text> });
  drawn.press('j', 'j', 'enter');
  await drawn.shows('All of Edsger');
  drawn.press('esc');
  await drawn.shows('> ');
  t.match(drawn.lines[3], /^> +3 +Edsger$/);
});

t.test('the filter keeps rows with the text in any column', async (t) => {
  const drawn = list(t);
  drawn.press('/');
  drawn.type('RA');
  await drawn.shows('/RA_');
  t.match(drawn.frame, 'Grace');
  t.notMatch(drawn.frame, 'Ada');
  drawn.press('enter');
  await drawn.shows('/RA  1 of 3');
  drawn.press('esc');
  await drawn.shows('Ada');
  drawn.press('/');
  drawn.type('nobody');
  await drawn.shows("No match for 'nobody'");
});

t.test('y shows the record as JSON without terminal escapes', async (t) => {
  const drawn = list(t, { rows: [{ id: 7, name: 'a\u001b[31mb\u009b' }] });
  t.match(drawn.frame, /7 {2}ab *$/m);
  drawn.press('y');
  await drawn.shows(String.raw`"name": "a\u001b[31mb\u009b"`);
  t.equal(drawn.frame, printable(drawn.frame));
});

t.test('a removal asks first, reports its end, and is missing with --readonly', async (t) => {
  const removed: number[] = [];
  const remove = { question: ({ name }: Row) => `Remove ${name}?`, run: async ({ id }: Row) => void removed.push(id) };
  const drawn = list(t, { remove });
  drawn.press('j', 'ctrl-d');
  await drawn.shows('Remove Grace? (y/n)');
  drawn.press('n');
  await drawn.loses('Remove Grace?');
  t.same(removed, []);
  drawn.press('ctrl-d', 'y');
  await drawn.becomes(() => drawn.notices.length > 0, 'told');
  await drawn.loses('Remove Grace?');
  t.same(removed, [2]);
  t.same(drawn.notices, ['remove: done']);
  t.notOk(list(t, { remove }, { readonly: true }).offered.includes('ctrl-d remove'));
});

t.test('failures are reported, and an action does not start twice', async (t) => {
  const begun: number[] = [];
  let end = (_thrown: Error) => {};
  const run = ({ id }: Row) => {
    begun.push(id);
    return new Promise((_resolve, reject) => {
      end = reject;
    });
  };
  const drawn = list(t, { actions: [{ key: 'r', label: 'restart', run }] });
  drawn.press('r', 'r');
  await drawn.becomes(() => drawn.notices.length === 1, 'told once');
  end(new Error('It does not start'));
  await drawn.becomes(() => drawn.notices.length === 2, 'told twice');
  t.same(drawn.notices, ['restart is still running', '! It does not start']);
  t.same(begun, [1]);
});

t.test('an action is offered only for its rows', async (t) => {
  const drawn = list(t, { actions: [{ key: 's', label: 'stop', run: () => undefined, when: ({ id }) => id === 2 }] });
  t.notOk(drawn.offered.includes('s stop'));
  drawn.press('j');
  await drawn.shows(/^> +2/m);
  t.ok(drawn.offered.includes('s stop'));
});

t.test('wide characters, escapes and long lines stay within their columns', async (t) => {
  const rows = [
    { id: 1, name: '漢字'.repeat(40) },
    { id: 2, name: `\u001b]0;title\u0007\u001b[2J${'x'.repeat(300)}` },
    { id: 3, name: '👩‍👩‍👧‍👦'.repeat(30) },
    { id: 4, name: 'one\ntwo\tthree\u202Efour' },
  ];
  for (const width of [40, 13, 4]) {
    const { lines, frame } = list(t, { rows }, { size: { columns: width, rows: 8 } });
    t.ok(
      lines.every((line) => widthOf(line) <= width),
      `${width} columns:\n${frame}`,
    );
    t.equal(lines.length, 8);
    t.equal(frame, printable(frame));
  }
  t.match(list(t, { rows }).frame, 'one two threefour');
});
