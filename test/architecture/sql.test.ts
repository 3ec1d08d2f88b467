import t from 'tap';
import { checkSql, ruleNames } from './sql.js';
import { tree } from './tree.js';

/** Rule → texts that break it. */
const planted: Readonly<Record<string, readonly string[]>> = {
  statements: [
    "const sql = 'SELECT id FROM notes_notes';",
    `const sql = \`\n  SELECT \${columns}\n  FROM notes_notes\`;`,
    "await db.run('INSERT INTO notes_notes (id) VALUES ($1)', [id]);",
    "await db.run('UPDATE notes_notes SET text = $1', [text]);",
    `const sql = \`UPDATE \${table}\n  SET text = $1\`;`,
    "await db.run('DELETE FROM notes_notes');",
    "await run('CREATE UNIQUE INDEX notes_key ON notes_notes (key)');",
    "await run('ALTER TABLE notes_notes ADD COLUMN key TEXT');",
    "await run('DROP TABLE notes_notes');",
    "await db.run('PRAGMA optimize');",
    `const all = rows.map((row) => \`\${row.name} \${\`SELECT \${row.id}\`}\`);`,
    "const address = 'https://example.org'; const types = '*/*'; const sql = 'SELECT 1';",
  ],
  conditions: [
    'const ready = () => "j.state = \'queued\' AND j.ready_at <= 5";',
    'const active = "status IN (\'running\')";',
    'const dead = `owner <> $2`;',
  ],
  dialects: ["const now = db.dialect === 'postgres' ? 'now()' : '0';", "if ('sqlite' !== db.dialect) return;", 'switch (db.dialect) {}'],
};

t.test('planted SQL is reported, except in files that may contain SQL', async (t) => {
  for (const [rule, texts] of Object.entries(planted)) {
    for (const [index, text] of texts.entries()) {
      const root = t.testdir(
        tree({
          'extensions/notes/store/planted.ts': text,
          'extensions/notes/store/planted-sql.ts': text,
          'extensions/notes/migrations/0001-notes.ts': text,
          'kernel/contract/sql.ts': text,
          'kernel/platform/data/sqlite/planted.ts': text,
          'kernel/platform/data/migrations.ts': text,
        }),
      );
      t.strictSame(checkSql(root), [`${rule}: extensions/notes/store/planted.ts`], `${rule} ${index}`);
    }
  }
  t.strictSame(Object.keys(planted).sort(), [...ruleNames].sort(), 'every rule has a planted violation');
});

t.test('comments and shell commands do not count as statements', async (t) => {
  const text = [
    '/** Reads with `SELECT 1 FROM notes`. */',
    "const word = 'https://example.org'; // SELECT id FROM notes_notes",
    `const fix = \`end it with: psql "$URL" -c 'SELECT pg_terminate_backend(\${pid})'\`;`,
    "const label = 'Select a note, or UPDATE it';",
  ];
  t.strictSame(checkSql(t.testdir(tree({ 'kernel/planted.ts': text.join('\n') }))), []);
});

t.test('SQL, and branches on the dialect, occur only in files named for them', async (t) => {
  t.strictSame(checkSql(process.cwd()), [], 'use a model, or name the file *-sql.ts and say why each statement is text');
});
