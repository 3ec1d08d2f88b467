import t from 'tap';
import { builtinCatalog } from '../../cli/catalog.js';
import { markdownAnswer } from '../../cli/markdown-answer.js';
import type { Terminal } from '../../cli/terminal.js';
import type { JsonSchema } from '../../kernel/contract/schema.js';

const terminal = { env: { NO_COLOR: '1' }, stdout: { isTTY: true, columns: 40 } } as unknown as Terminal;

t.test('each record is a line of its fields, its named records with their ids, and its text', async (t) => {
  const rows = [
    { from: 'Grace', text: '- One', files: [{ id: '7', name: 'a\u001B[2J.txt' }], images: [{ name: 'b.png' }, {}] },
    { from: 'Ben', text: 'Two', files: [] },
    { from: 'Ada', text: '', files: [{ id: '8', name: 'c.pdf' }] },
  ];
  const style = { key: 'text', columns: ['from', 'text'], named: { image: 'images', file: 'files' } };
  t.equal(
    await markdownAnswer(rows, style, terminal),
    'Grace\n[image b.png]\n[image]\n[file a.txt] 7\n• One\n\nBen\nTwo\n\nAda\n[file c.pdf] 8\n',
  );
});

t.test('the named records of every command are lists of its answer', (t) => {
  const { commands, operations } = builtinCatalog();
  const hints = commands.filter(({ named }) => named !== undefined);
  t.ok(hints.length > 0);
  for (const { operation, command, named = {} } of hints) {
    const answer = operations[operation]?.answer as JsonSchema;
    const record = answer.items ?? answer;
    for (const key of Object.values(named)) t.equal(record.properties?.[key]?.type, 'array', `${command}: ${key}`);
  }
  t.end();
});
