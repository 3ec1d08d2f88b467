import t from 'tap';
import { checkComments, commentedFiles } from './comments.js';
import { tree } from './tree.js';

/** Marks of comments apart from their words, so that this file has no such comment itself. */
const [doc, block, line, hash] = ['/**', '/*', '//', '#'];

const planted = [
  `${doc} Of the answer. */`,
  `${block} What it holds. */`,
  `${doc}\n * Whose token it is.\n */`,
  `  ${line} Who may ask is known.`,
  `const max = 5; ${line} So many wait.`,
  `${hash} As long as nobody reads.`,
  `${doc} Which of them runs. */`,
];

const plain = [
  `${doc} Returns what it holds. */`,
  `${line} A sentence goes on in the next line, and that begins with the word\n${line} Of which nobody complains.`,
  `${doc} Office hours. */`,
  "const address = 'http://Of.example';",
  `${hash} A list\n${hash} What follows belongs to the first line.`,
];

t.test('comments open with their subject', async (t) => {
  const files = (texts: readonly string[]) => Object.fromEntries(texts.map((text, at) => [`${at}.ts`, `${text}\n`]));
  const root = (texts: readonly string[]) => t.testdir(tree(files(texts)));
  t.equal(checkComments(root(planted), Object.keys(files(planted))).length, planted.length, 'each planted comment is found');
  t.same(checkComments(root(plain), Object.keys(files(plain))), []);
  t.same(checkComments(process.cwd(), commentedFiles(process.cwd())), []);
});
