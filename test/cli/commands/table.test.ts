import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { leafCommands, wordsOf } from './leaves.js';
import { table } from './table.js';

t.test('every command has a row, and every row a command', async (t) => {
  const names = (await leafCommands()).map(({ name }) => name);
  t.ok(names.length > 100, 'the commands are found');
  t.strictSame(Object.keys(table).sort(), names.sort());
});

t.test('every command has its own example', async (t) => {
  for (const { name, examples } of await leafCommands())
    t.ok(
      examples.some((example) => example.startsWith(name)),
      `${name}: ${examples.join('; ')}`,
    );
});

t.test('replacements of a row occur in its example, and expected output elsewhere exists', async (t) => {
  for (const { name, examples } of await leafCommands()) {
    const words = examples.flatMap(wordsOf);
    for (const word of Object.keys(table[name]?.given ?? {})) t.ok(words.includes(word), `${name}: '${word}' in ${examples.join('; ')}`);
    const { elsewhere } = table[name] ?? {};
    if (elsewhere) t.ok(existsSync(join('test', elsewhere)), `${name} is run in ${elsewhere}`);
  }
});
