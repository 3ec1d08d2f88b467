import t from 'tap';
import { safeName } from '../../../../extensions/chat/files/name.js';

const names: readonly (readonly [given: string, name: string])[] = [
  ['report.pdf', 'report.pdf'],
  ['Årsrapport 2026.docx', 'Årsrapport 2026.docx'],
  ['年度报告.xlsx', '年度报告.xlsx'],
  ['تقرير.pdf', 'تقرير.pdf'],
  ['👩‍🚀.png', '👩‍🚀.png'],
  ['../../etc/passwd', 'passwd'],
  ['C:\\Users\\ada\\plan.txt', 'plan.txt'],
  ['..', 'file'],
  ['', 'file'],
  ['folder/', 'file'],
  ['.bashrc', 'bashrc'],
  ['name. . ', 'name'],
  ['invoice\u202Efdp.exe', 'invoicefdp.exe'],
  ['\u2066a\u2069\u200F\u061C\uFEFF\u200B.txt', 'a.txt'],
  ['a\0b\r\nc\u2028d.txt', 'abcd.txt'],
  ['lone\uD800.txt', 'lone.txt'],
  ['a<b>:"c"|?*.txt', 'a_b___c____.txt'],
  ['"quoted" 100%22.txt', '_quoted_ 100%22.txt'],
  ['CON', '_CON'],
  ['lpt1.txt', '_lpt1.txt'],
  ['console.log', 'console.log'],
  ['a\u00A0\t b.txt', 'a b.txt'],
  ['e\u0301.txt', '\u00E9.txt'],
];

t.test('a name is cleaned of folders, invisible and reserved characters', async (t) => {
  for (const [given, name] of names) t.equal(safeName(given), name);
});

t.test('a long name keeps its ending and its characters whole', async (t) => {
  const name = safeName(`${'😀'.repeat(150)}.docx`);
  t.ok(name.length <= 200);
  t.match(name, /^(?:😀)+\.docx$/u);
  t.equal(safeName('x'.repeat(500)).length, 200);
  t.equal(safeName(`a.${'x'.repeat(500)}`).length, 200, 'a long ending is none');
});
