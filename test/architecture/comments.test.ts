import t from 'tap';
import { checkComments, commentedFiles } from './comments.js';
import { tree } from './tree.js';

const planted = [
  '/** Of the answer. */',
  '/* What it holds. */',
  '/**\n * Whose token it is.\n */',
  '  // Who may ask is known.',
  'const max = 5; // So many wait.',
  '# As long as nobody reads.',
  '/** Which of them runs. */',
];

const plain = [
  '/** Returns what it holds. */',
  '// A sentence goes on in the next line, and that begins with the word\n// Of which nobody complains.',
  '/** Office hours. */',
  "const address = 'http://Of.example';",
  '# A list\n# What follows belongs to the first line.',
];

t.test('comments open with their subject', async (t) => {
  const files = (texts: readonly string[]) => Object.fromEntries(texts.map((text, at) => [`${at}.ts`, `${text}\n`]));
  const root = (texts: readonly string[]) => t.testdir(tree(files(texts)));
  t.equal(checkComments(root(planted), Object.keys(files(planted))).length, planted.length, 'each planted comment is found');
  t.same(checkComments(root(plain), Object.keys(files(plain))), []);
  t.same(checkComments(process.cwd(), commentedFiles(process.cwd())), []);
});
