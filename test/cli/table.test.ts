import t from 'tap';
import { record } from '../../cli/record.js';
import { cell, keyed, tabbed, table, width } from '../../cli/table.js';
import { harmless } from '../../cli/terminal.js';

const rows = [
  { id: 1, name: 'Ada', tags: ['a', 'b'], note: null },
  { id: 22, name: '张伟', tags: [], note: 'two\nlines\tand a tab' },
];
const columns = ['id', 'name', 'tags', 'note'];

t.test('in a pipe a table is rows with tabs and without a heading', async (t) => {
  t.equal(tabbed(rows, columns), '1\tAda\ta,b\t\n22\t张伟\t\ttwo lines and a tab\n');
});

t.test('on a terminal a table aligns its columns by their displayed width', async (t) => {
  t.equal(
    table(rows, columns, { width: 80, bold: false }),
    ['ID  NAME  TAGS  NOTE', '1   Ada   a,b   ', '22  张伟        two lines and a tab', ''].join('\n'),
  );
});

t.test('a long line is truncated at the edge, never within a wide character', async (t) => {
  t.equal(table([{ name: '张伟张伟' }], ['name'], { width: 6, bold: false }), 'NAME\n张伟…\n');
});

t.test('a table has a bold heading if the terminal supports it', async (t) => {
  t.equal(table([{ id: 1 }], ['id'], { width: 80, bold: true }), '\u001B[1mID\u001B[22m\n1\n');
});

t.test('prints a record as one key and value per line', async (t) => {
  t.equal(record({ id: 7, created_at: 'now' }, ['id', 'created_at']), 'id:          7\ncreated at:  now\n');
});

t.test('wraps a long value of a record between words', async (t) => {
  const row = { id: 7, reason: 'The node is offline because its engine does not answer', link: 'https://example.org/a/very/long/address' };
  t.equal(
    record(row, ['id', 'reason', 'link'], 32),
    [
      'id:      7',
      'reason:  The node is offline',
      '         because its engine does',
      '         not answer',
      'link:    https://example.org/a/very/long/address',
      '',
    ].join('\n'),
  );
});

t.test('multi-line values of a record are below their key and cannot control the terminal', async (t) => {
  const shown = record(
    {
      id: 'a',
      who: { name: 'Ada', age: 36 },
      limits: { steps: 5, hosts: ['x', 'y'], none: null, no: [] },
      files: [
        { name: 'a.txt', bytes: 1 },
        { name: 'b', sums: { crc: 7 } },
      ],
      empty: {},
      text: 'one\r\n\u001B[2Jtwo\n',
    },
    ['id', 'who.name', 'limits', 'files', 'empty', 'text', 'gone.far'],
  );
  t.notOk(shown.includes('\u001B'));
  t.same(shown.split('\n'), [
    'id:        a',
    'who name:  Ada',
    'limits:',
    '  steps: 5',
    '  hosts: x, y',
    'files:',
    '  a.txt  1',
    '  b  7',
    'empty:',
    'text:',
    '  one',
    `  ${harmless('\u001B[2Jtwo')}`,
    'gone far:',
    '',
  ]);
});

t.test('a dotted column is a nested value', async (t) => {
  t.equal(tabbed([{ who: { name: 'Ada' } }, { who: null }], ['who.name']), 'Ada\n\n');
  t.equal(table([{ who: { name: 'Ada' } }], ['who.name'], { width: 80, bold: false }), 'WHO NAME\nAda\n');
});

t.test('prints objects as JSON', async (t) => {
  t.equal(cell({ a: [1] }), '{"a":[1]}');
});

t.test('the computed width of a text equals its width on a terminal', async (t) => {
  t.strictSame(['abc', '张伟', 'e\u0301', '🙂', '한글', 'ｆ'].map(width), [3, 4, 1, 2, 4, 2]);
});

t.test('removes all terminal control characters', async (t) => {
  const evil = 'a\u001B[2Jb\u001B]0;title\u0007c\u0007\u0008\r\u009B31m\u202Ed\u200Fe';
  const forbidden = ['\u001B', '\u0007', '\u0008', '\r', '\u009B', '\u202E'];
  t.strictSame(
    forbidden.filter((mark) => harmless(evil).includes(mark)),
    [],
  );
  t.match(harmless(evil), /^ab/);
  const row = { [evil]: { [evil]: evil }, [`${evil}2`]: evil };
  const shown = [record(row, Object.keys(row)), table([row], Object.keys(row), { width: 200, bold: false }), keyed(row, Object.keys(row))];
  for (const text of shown) t.notMatch(text, /(?![\n\t])[\p{Cc}\u202E]/u, 'keys cannot control the terminal either');
  t.equal(harmless('two\nlines\tas they are: 张伟 👩‍💻'), 'two\nlines\tas they are: 张伟 👩‍💻');
});

t.test("a record's lists of records have a line for each, prefixed by the key", async (t) => {
  const checks = [
    { code: 'archive', ok: true, message: 'It is\nwhole' },
    { code: 'signature', ok: false, message: '\u001B[2JIt has none' },
  ];
  t.equal(
    keyed({ id: 'acme.hooks', checks, permissions: { added: ['x'] }, reason: null }, ['id', 'checks', 'permissions', 'reason']),
    'id\tacme.hooks\nchecks\tarchive\ttrue\tIt is whole\nchecks\tsignature\tfalse\tIt has none\npermissions\t{"added":["x"]}\nreason\t\n',
  );
  t.equal(keyed({ mixed: [null, { a: 1 }] }, ['mixed']), 'mixed\t[null,{"a":1}]\n');
});

t.test('a text of several lines has its key before each of them', async (t) => {
  const readme = '# Hooks\r\n\nReceives\tweb hooks.\n';
  t.equal(
    keyed({ id: 'acme.hooks', readme }, ['id', 'readme']),
    'id\tacme.hooks\nreadme\t# Hooks\nreadme\t\nreadme\tReceives web hooks.\n',
  );
  t.equal(keyed({ readme: '' }, ['readme']), 'readme\t\n');
});
