import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { completeReference, findReferences, unfinishedReference } from '../../../cli/conversation/file-references.js';
import { UsageError } from '../../../cli/exit.js';

const folder = t.testdir({
  'report.pdf': 'pdf',
  'my report.pdf': 'pdf',
  '报告.txt': 'text',
  ada: 'a file called like a member',
  docs: { 'plan.md': 'plan', 'a b.md': 'a b', inner: {} },
  '.secret': 'secret',
  'empty.txt': '',
  'large.bin': '',
});
truncateSync(join(folder, 'large.bin'), 50 * 1024 * 1024 + 1);
symlinkSync('docs', join(folder, 'documents'));
symlinkSync('nowhere', join(folder, 'dangling'));
const before = process.cwd();
process.chdir(folder);
t.teardown(() => process.chdir(before));

const members = async (name: string) => name.toLowerCase() === 'ada';
const found = async (text: string) => {
  const { content, files } = await findReferences(text, members);
  return [content, files.map(({ path }) => path)];
};

t.test('a path behind an @ is a file of the message, and its name stays in the text', async (t) => {
  const cases: Record<string, [text: string, content: string, paths: string[]]> = {
    plain: ['Read @report.pdf', 'Read report.pdf', ['report.pdf']],
    'nothing but files': [' @report.pdf @docs/plan.md ', '', ['report.pdf', 'docs/plan.md']],
    folder: ['In @./docs/plan.md?', 'In plan.md?', ['./docs/plan.md']],
    sentence: ['See @report.pdf, (@docs/plan.md).', 'See report.pdf, (plan.md).', ['report.pdf', 'docs/plan.md']],
    'no blank between': ['@report.pdf,@docs/plan.md', 'report.pdf,plan.md', ['report.pdf', 'docs/plan.md']],
    quotes: ['See "@"my report.pdf""', 'See "my report.pdf"', ['my report.pdf']],
    backslash: [String.raw`See @my\ report.pdf now`, 'See my report.pdf now', ['my report.pdf']],
    chinese: ['请看@报告.txt 谢谢', '请看报告.txt 谢谢', ['报告.txt']],
    twice: ['@report.pdf and @./report.pdf', 'report.pdf and report.pdf', ['./report.pdf']],
    absolute: [`@${join(folder, 'report.pdf')} .`, 'report.pdf .', [join(folder, 'report.pdf')]],
    lines: ['One\n@report.pdf\nTwo', 'One\nreport.pdf\nTwo', ['report.pdf']],
    link: ['@documents/plan.md!', 'plan.md!', ['documents/plan.md']],
    'a file called like a member': ['@./ada now', 'ada now', ['./ada']],
  };
  for (const [name, [text, content, paths]] of Object.entries(cases)) t.strictSame(await found(text), [content, paths], name);
});

t.test('members, addresses, code and names of no file stay text', async (t) => {
  const texts = [
    'Hi @ada, and @ADA',
    'Hi @grace',
    'Mail a@report.pdf',
    'npm install @scope/package @docs @docs/inner @dangling',
    'Run `cat @report.pdf`\n```\n@report.pdf\n```',
    '@ @@report.pdf /@report.pdf',
    '',
  ];
  for (const text of texts) t.strictSame(await found(text), [text, []], text);
});

t.test('a path that says where it begins, or is in quotation marks, must be a file that can be sent', async (t) => {
  const hint = 'to send the path as text, put it in backticks';
  const refused: Record<string, string> = {
    '@./none.pdf': "'./none.pdf' can't be read: there is no such file",
    'See @./none.pdf.': "'./none.pdf' can't be read: there is no such file",
    '@"no such file"': "'no such file' can't be read: there is no such file",
    '@./docs': "'./docs' can't be sent: it is a folder",
    '@/dev/null': "'/dev/null' can't be sent: it is not a regular file",
    '@empty.txt': "'empty.txt' can't be sent: it is empty",
    '@large.bin': "'large.bin' can't be sent: it has 52428801 bytes, and the limit is 52428800",
  };
  for (const [text, message] of Object.entries(refused)) await t.rejects(found(text), new UsageError(message, hint), text);
});

t.test('hidden files, and those outside of the current folder, are unusual', async (t) => {
  const isUnusual = async (text: string) => (await findReferences(text, members)).files.map((file) => file.isUnusual);
  t.strictSame(await isUnusual(`@report.pdf @docs/plan.md @${join(folder, 'docs/plan.md')}`), [false, false]);
  process.chdir('docs');
  t.strictSame(await isUnusual('@plan.md @../report.pdf @../.secret'), [false, true, true]);
  process.chdir('..');
  t.strictSame(await isUnusual('@.secret @/etc/passwd'), [true, true]);
});

t.test('paths are completed; a path with a blank gets quotation marks, and a folder stays open', async (t) => {
  const complete = async (text: string) => (await completeReference(text, (name) => name === 'ada')).matches;
  t.strictSame(await complete('Read @r'), ['@report.pdf ']);
  t.strictSame(await complete('@my'), ['@"my report.pdf" ']);
  t.strictSame(await complete(String.raw`@my\ r`), ['@"my report.pdf" ']);
  t.strictSame(await complete('@"my r'), ['@"my report.pdf" ']);
  t.strictSame(await complete('@d'), ['@docs/', '@documents/']);
  t.strictSame(await complete('@docs/'), ['@"docs/a b.md" ', '@docs/inner/', '@docs/plan.md ']);
  t.strictSame(await complete('@"docs/'), ['@"docs/a b.md" ', '@"docs/inner/', '@"docs/plan.md" ']);
  t.strictSame(await complete('@a'), ['@./ada ']);
  t.strictSame(await complete('@.s'), ['@.secret ']);
  t.notOk((await complete('@')).some((match) => match.includes('secret') || match.includes('dangling')));
  t.strictSame(await complete('@none/x'), []);
  t.equal(unfinishedReference('Hi @docs/pl'), '@docs/pl');
  t.equal(unfinishedReference('Hi @"my re'), '@"my re');
  for (const text of ['Hi', 'a@b', '@report.pdf ', '@"my report.pdf"']) t.equal(unfinishedReference(text), undefined, text);
});
