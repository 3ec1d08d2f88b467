import type { DocumentCase } from './case.js';

const latin = (text: string) => Buffer.from(text, 'latin1');
const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

/** Plain text in its encodings, tables, Markdown and pages of the web. */
export const texts: readonly DocumentCase[] = [
  { name: 'text in UTF-8 with a mark', source: 'Unicode Standard, 23.8', make: () => '\ufeffGrüße', answer: 'Grüße' },
  {
    name: 'text in UTF-16 with a mark',
    source: 'Unicode Standard, 23.8',
    make: () => Buffer.from('\ufeffGrüße 世界', 'utf16le'),
    answer: 'Grüße 世界',
  },
  {
    name: 'text in UTF-16 with a mark, the other way round',
    source: 'Unicode Standard, 23.8',
    make: () => Buffer.from('\ufeffGrüße', 'utf16le').swap16(),
    answer: 'Grüße',
  },
  {
    name: 'text in UTF-16 without a mark',
    source: 'RFC 2781, 4.3',
    make: () => Buffer.from('Name\tGröße\n', 'utf16le'),
    answer: 'Name\tGröße',
  },
  {
    name: 'text in UTF-16 without a mark, the other way round',
    source: 'RFC 2781, 4.3',
    make: () => Buffer.from('Name\tGröße\n', 'utf16le').swap16(),
    answer: 'Name\tGröße',
  },
  {
    name: 'text in windows-1252',
    source: 'Encoding Standard, 4.2',
    make: () => latin('Gr\xfc\xdfe, na\xefve caf\xe9s \x96 5 \x80'),
    answer: 'Grüße, naïve cafés – 5 €',
  },
  {
    name: 'a table in GBK, as Excel saves it in China',
    source: 'GB 18030; Encoding Standard, 10.1',
    make: () => hex('D0D5C3FB 2C BCDBB8F1 0D0A D5C5C8FD 2C 3132 A3A4 0D0A'),
    file: 'a.csv',
    answer: '姓名,价格\n张三,12￥',
  },
  {
    name: 'text in Russian, in windows-1251',
    source: 'a guess at Chinese would be wrong',
    make: () => latin('\xcf\xf0\xe8\xe2\xe5\xf2, \xec\xe8\xf0'),
    answer: 'Ïðèâåò, ìèð',
  },
  { name: 'text with old line ends', source: 'files of old Macs', make: () => 'one\rtwo\r\nthree\n', answer: 'one\ntwo\nthree' },
  {
    name: 'text with an end of file of DOS',
    source: 'CP/M: Ctrl+Z',
    make: () => `${'a line of text\r\n'.repeat(20)}\x1a`,
    answer: /^(a line of text\n){19}a line of text$/,
  },
  {
    name: 'text with colours of a terminal',
    source: 'ECMA-48',
    make: () => `${'a line of text '.repeat(20)}\x1b[31mred\x1b[0m`,
    answer: /\[31mred\[0m$/,
  },
  {
    name: 'a table with commas, quotation and line breaks in cells',
    source: 'RFC 4180',
    make: () => 'name,said\r\nAda,"one, ""two""\r\nthree"\r\n',
    file: 'a.csv',
    answer: 'name,said\nAda,"one, ""two""\nthree"',
  },
  {
    name: 'a table with semicolons, as Excel saves it in Europe',
    source: 'Microsoft Excel: sep=',
    make: () => 'sep=;\r\nName;Sum\r\nAda;1,5\r\n',
    file: 'a.csv',
    answer: 'sep=;\nName;Sum\nAda;1,5',
  },
  { name: 'a table with tabs', source: 'IANA: text/tab-separated-values', make: () => 'a\tb\n1\t2\n', file: 'a.tsv', answer: 'a\tb\n1\t2' },
  {
    name: 'a line of ten million characters',
    source: 'a minified file',
    make: () => 'x'.repeat(10_000_000),
    answer: /^x{3000}\fx{3000}\f/,
  },
  { name: 'a text of line breaks alone', source: 'nothing to read', make: () => '\n'.repeat(100_000), answer: 'refused: no_text' },
  {
    name: 'Markdown with headings of both kinds, code, HTML and a table',
    source: 'CommonMark 0.31',
    make: () => '# One\n\nTwo\n---\n```\n# no heading\n```\n<b>bold</b>\n| a | b |\n',
    file: 'a.md',
    answer: '# One\n\nTwo\n---\n```\n# no heading\n```\n<b>bold</b>\n| a | b |',
  },
  {
    name: 'Markdown with a preface',
    source: 'Jekyll: front matter',
    make: () => '---\ntitle: Plan\n---\n\nText',
    file: 'a.md',
    answer: '---\ntitle: Plan\n---\n\nText',
  },
  {
    name: 'a page without an html element',
    source: 'HTML Standard, 13.1.2.4',
    make: () => '<p>One<p>Two<br>three',
    file: 'a.html',
    answer: 'One\nTwo\nthree',
  },
  {
    name: 'a page with wrong nesting',
    source: 'HTML Standard, 13.2.10',
    make: () => '<html><b><i>One</b></i></p></div></html>',
    answer: 'One',
  },
  {
    name: 'a page with entities of all kinds',
    source: 'HTML Standard, 13.5',
    make: () => '<html>&lt;b&gt; &#x4f60; &eacute; &amp;amp; &nosuch; &#0;',
    answer: /^<b> 你 é &amp; &nosuch;/,
  },
  {
    name: 'a page in Chinese, in an encoding that it declares',
    source: 'HTML Standard, 13.2.3.2',
    make: () => Buffer.concat([Buffer.from('<html><meta charset=gbk><p>'), hex('C4E3BAC3')]),
    answer: '你好',
  },
  {
    name: 'a page that declares its encoding after a long script',
    source: 'apache/tika: big-preamble.html',
    make: () =>
      Buffer.concat([Buffer.from(`<html><script>${'x'.repeat(5_000)}</script><meta charset=windows-1251><p>`), hex('CFF0E8E2E5F2')]),
    answer: 'Привет',
  },
  {
    name: 'a page that declares an encoding in which it could not say so',
    source: 'HTML Standard, 13.2.3.3',
    make: () => '<html><meta charset="utf-16"><p>Text',
    answer: 'Text',
  },
  {
    name: 'a page that declares an encoding that nobody knows',
    source: 'HTML Standard, 13.2.3.2',
    make: () => '<html><meta charset="klingon"><p>Grüße',
    answer: 'Grüße',
  },
  {
    name: 'a page of XML that declares its encoding',
    source: 'XML 1.0, 4.3.3',
    make: () => Buffer.concat([Buffer.from('<?xml version="1.0" encoding="windows-1251"?><html><p>'), hex('CFF0E8E2E5F2')]),
    answer: 'Привет',
  },
  {
    name: 'a page with a table, a list and preformatted text',
    source: 'HTML Standard, 4.9',
    make: () => '<html><table><tr><th>a<th>b<tr><td>1<td>2</table><ul><li>x</ul><pre>y\n  z</pre>',
    answer: 'a\tb\n1\t2\n- x\ny\n  z',
  },
  {
    name: 'a table that Excel saved as a page, named as a workbook',
    source: 'Microsoft: the file format and extension do not match',
    make: () => '<html xmlns:x="urn:schemas-microsoft-com:office:excel"><table><tr><td>1</td><td>2</td></tr></table></html>',
    file: 'report.xls',
    answer: '1\t2',
  },
  {
    name: 'a page that is made by a script',
    source: 'no script runs',
    make: () => '<html><body><div id=root></div><script>document.write("text")</script>',
    answer: 'refused: no_text',
  },
  {
    name: 'a mail with its headers',
    source: 'RFC 5322',
    make: () => 'From: ada@example.com\r\nSubject: Plan\r\n\r\nText\r\n',
    file: 'a.eml',
    answer: 'From: ada@example.com\nSubject: Plan\n\nText',
  },
  {
    name: 'a drawing of text',
    source: 'SVG 2',
    make: () => '<svg xmlns="http://www.w3.org/2000/svg"><text>Label</text></svg>',
    file: 'a.svg',
    answer: /<text>Label<\/text>/,
  },
];
