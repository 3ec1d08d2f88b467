import { deflateRawSync, deflateSync } from 'node:zlib';
import { docx, paragraph, pptx, shape, shows, xlsx, zip } from '../made.js';
import { deflated, onePage, pdfFile } from '../made-pdf.js';
import type { DocumentCase } from './case.js';

const cell = (content: string) => `<c t="str">${content}</c>`;
const sheet = (...cells: readonly string[]) => [{ name: 'S', rows: `<row>${cells.join('')}</row>` }];
const typed = (type: string) => xlsx({ sheets: sheet(cell('<v>&x;</v>')), prologue: type });
const text = shows('Text of a page');

/** Documents that are small, and ask for more time or memory than there is. */
export const exhausting: readonly DocumentCase[] = [
  {
    name: 'entities that double ten times',
    source: 'CVE-2003-1564, billion laughs',
    make: () => {
      const entities = Array.from({ length: 30 }, (_, at) => `<!ENTITY x${at + 1} "&x${at};&x${at};">`).join('');
      return typed(`<!DOCTYPE x [<!ENTITY x0 "ha">${entities}]>`);
    },
    answer: 'refused: damaged',
  },
  {
    name: 'a part of spaces that unpacks to a thousand times its size',
    source: 'CWE-409',
    make: () => xlsx({ sheets: [{ name: 'S', rows: ' '.repeat(12_000_000) }] }),
    answer: 'refused: too_large',
  },
  {
    name: 'a part that unpacks to more than the archive says',
    source: 'CWE-409: sizes in the directory lie',
    make: async () => lying(await docx(`${paragraph('Text')}${' '.repeat(40_000_000)}`), 'word/document.xml'),
    answer: /^refused: (damaged|too_large)$/,
  },
  {
    name: 'two parts of one name',
    source: 'ECMA-376 part 2, 9.1.1.3; scanners and readers take different ones',
    make: () => docx(paragraph('Text'), { 'WORD/document.xml': paragraph('Other') }),
    answer: 'refused: damaged',
  },
  {
    name: 'archives in archives',
    source: '42.zip',
    make: async () => zip({ 'a.zip': await zip({ 'b.zip': deflateRawSync(Buffer.alloc(1_000_000)) }) }),
    answer: 'refused: archive',
  },
  {
    name: 'more than 10,000 parts',
    source: 'CWE-770',
    make: async () => {
      const file = await zip({ part: '' });
      file.writeUInt16LE(10_001, file.length - 12);
      return file;
    },
    answer: 'refused: too_large',
  },
  {
    name: 'a part whose name leads out of the archive',
    source: 'CWE-22, Zip Slip',
    make: async () => {
      const file = await docx(paragraph('Text'), { 'aa/aa/passwd': 'x' });
      return Buffer.from(file.toString('latin1').replaceAll('aa/aa/passwd', '../../passwd'), 'latin1');
    },
    answer: 'refused: damaged',
  },
  {
    name: 'a cell of two million spaces',
    source: 'CWE-1333: an expression that takes the square of the time',
    make: () => xlsx({ sheets: sheet(cell(`<v>${' '.repeat(2_000_000)}x</v>`)) }),
    answer: /^S\n/,
  },
  {
    name: 'a letter nested 30,000 deep',
    source: 'CWE-674',
    make: () => docx(`${'<w:sdt><w:sdtContent>'.repeat(30_000)}${paragraph('Text')}${'</w:sdtContent></w:sdt>'.repeat(30_000)}`),
    answer: /^(Text|refused: (damaged|too_large))$/,
  },
  {
    name: 'a workbook nested 100,000 deep',
    source: 'CWE-674',
    make: () => xlsx({ sheets: [{ name: 'S', rows: `${'<x>'.repeat(100_000)}<row>${cell('<v>1</v>')}</row>${'</x>'.repeat(100_000)}` }] }),
    answer: 'S\n1',
  },
  {
    name: 'a page nested 1,000,000 deep',
    source: 'CWE-674, CWE-407: each element moves the list of open ones',
    make: () => `<html>${'<div>'.repeat(1_000_000)}Text`,
    answer: 'Text',
  },
  {
    name: 'a page with 500,000 elements below 50,000 others',
    source: 'CWE-407: each element is searched for among the open ones',
    make: () => `<html>${'<div>'.repeat(50_000)}${'<b>x</b></i>'.repeat(500_000)}`,
    answer: /^x{3000}\fx/,
  },
  {
    name: 'a page with 300,000 drawings in drawings',
    source: 'CWE-407',
    make: () => `<html>${'<svg>'.repeat(300_000)}${'</svg>'.repeat(300_000)}Text`,
    answer: 'Text',
  },
  {
    name: 'a page with 500,000 cells in one line',
    source: 'CWE-407: each cell looks at the end of the line',
    make: () => `<html><pre>${'x<td>'.repeat(500_000)}`,
    answer: /^x\tx\t/,
  },
  {
    name: 'a slide with tables in tables, 50,000 deep',
    source: 'CWE-407: each row has the cells of all before it',
    make: () => {
      const [begin, end] = ['<a:tbl><a:tr><a:tc>', '</a:tc></a:tr></a:tbl>'];
      return pptx([{ shapes: `${begin.repeat(50_000)}${shape('body', 'Text')}${end.repeat(50_000)}` }]);
    },
    answer: 'Text',
  },
  {
    name: 'a slide with 60,000 paragraphs in its title',
    source: 'CWE-407: each paragraph is appended to the title',
    make: () => pptx([{ shapes: shape('title', ...Array.from({ length: 60_000 }, () => 'x'.repeat(50))) }]),
    answer: /^x{50}\nx/,
  },
  {
    name: 'Markdown with quotes in quotes, 10,000 deep',
    source: 'CWE-674; CVE-2022-21670 of markdown-it',
    make: () => `${'>'.repeat(10_000)} Text\n${' '.repeat(10_000)}x\n`,
    file: 'a.md',
    answer: /Text/,
  },
  {
    name: 'a PDF with arrays in arrays, 100,000 deep',
    source: 'CWE-674',
    make: () => pdfFile(onePage(text, { page: `/Deep ${'['.repeat(100_000)}${']'.repeat(100_000)}` })),
    answer: /^(Text of a page|refused: \w+)$/,
  },
  {
    name: 'a PDF with bookmarks in bookmarks, 5,000 deep',
    source: 'CWE-674: the package copies the outline',
    make: () => {
      const child = (at: number) => `/First ${at} 0 R/Last ${at} 0 R/Count 1`;
      const bookmark = (_: unknown, at: number) => [at + 7, `<</Title(T)/Parent ${at + 6} 0 R/Dest[3 0 R/Fit]${child(at + 8)}>>`];
      const objects = Object.fromEntries([[6, `<<${child(7)}>>`], ...Array.from({ length: 5_000 }, bookmark)]);
      return pdfFile(onePage(text, { catalog: '/Outlines 6 0 R', objects }));
    },
    answer: 'Text of a page',
  },
  {
    name: 'a PDF that claims a billion pages',
    source: 'CWE-834',
    make: () => pdfFile({ ...onePage(''), 2: '<</Type/Pages/Count 1000000000/Kids[3 0 R]>>' }),
    answer: /^refused: (damaged|no_text)$/,
  },
  {
    name: 'a PDF whose page unpacks to 300 MB',
    source: 'CWE-409',
    make: () => pdfFile(onePage(deflated(Buffer.alloc(300_000_000, ' ')))),
    answer: /^refused: (no_text|too_complex|too_slow|damaged)$/,
    is_heavy: true,
  },
  {
    name: 'a PDF whose page was packed three times',
    source: 'CWE-409: filters in a row',
    make: () => {
      const data = deflateSync(deflateSync(deflateSync(Buffer.alloc(1_000_000_000, ' '))));
      return pdfFile(onePage({ data, entries: '/Filter[/FlateDecode/FlateDecode/FlateDecode]' }));
    },
    answer: /^refused: (no_text|too_complex|too_slow|damaged)$/,
    is_heavy: true,
  },
  {
    name: 'a PDF whose objects unpack to 300 MB',
    source: 'CWE-409; ISO 32000-1, 7.5.7',
    make: () => pdfFile({ ...onePage(text), 6: deflated(Buffer.alloc(300_000_000, ' '), '/Type/ObjStm/N 1000000/First 8') }),
    answer: /^(Text of a page|refused: (too_complex|too_slow|damaged))$/,
    is_heavy: true,
  },
];

/** Writes a small size into the directory of an archive, and into the entry. */
function lying(file: Buffer, name: string): Buffer {
  for (let at = file.indexOf(name); at !== -1; at = file.indexOf(name, at + 1)) {
    const start = [46, 30].map((length) => at - length).find((place) => file.toString('latin1', place, place + 2) === 'PK');
    if (start !== undefined) file.writeUInt32LE(500, start + (at - start === 46 ? 24 : 22));
  }
  return file;
}
