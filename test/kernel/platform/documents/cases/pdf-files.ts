import { shows } from '../made.js';
import { asianFont, codes, deflated, onePage, packedPdf, pdfFile, updatedPdf } from '../made-pdf.js';
import type { DocumentCase } from './case.js';

const text = shows('Text of a page');
const whole = () => pdfFile(onePage(text));
const replaced = (from: string | RegExp, to: string) => Buffer.from(whole().toString('latin1').replace(from, to), 'latin1');
const filtered = (data: string | Buffer, filter: string) => pdfFile(onePage({ data, entries: `/Filter${filter}` }));
const hexadecimal = `${Buffer.from(text, 'latin1').toString('hex')}>`;

/** PDFs whose files are built or broken in ways that programs and networks leave behind. */
export const pdfFiles: readonly DocumentCase[] = [
  { name: 'a PDF with a table of places', source: 'ISO 32000-1, 7.5.4', make: whole, answer: 'Text of a page' },
  {
    name: 'a PDF with compressed objects and a stream in place of the table',
    source: 'ISO 32000-1, 7.5.7 and 7.5.8',
    make: () => packedPdf(onePage(deflated(text))),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF that was changed by appending: the newer page counts',
    source: 'ISO 32000-1, 7.5.6',
    make: () => updatedPdf(whole(), { 4: { data: shows('Newer text') } }),
    answer: 'Newer text',
  },
  {
    name: 'a PDF whose table is said to be elsewhere',
    source: 'ISO 32000-1, 7.5.5: startxref',
    make: () => pdfFile(onePage(text), { start: 7 }),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose table names wrong places',
    source: 'ISO 32000-1, 7.5.4',
    make: () => replaced(/0000000(\d{3}) 00000 n/g, '0000009$1 00000 n'),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF without a table, trailer and end',
    source: 'ISO 32000-1, 7.5.4; readers rebuild the table from the objects',
    make: () => replaced(/xref[\s\S]*$/, ''),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose table leads to itself',
    source: 'ISO 32000-1, 7.5.6: /Prev',
    make: () => replaced('/Root 1 0 R', `/Root 1 0 R/Prev ${/startxref\n(\d+)/.exec(whole().toString('latin1'))?.[1]}`),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose second page is cut off: the first one is read',
    source: 'RFC 1951: a stream without its last block',
    make: () => {
      const page = deflated(Array.from({ length: 200 }, (_, line) => `BT /F 1 Tf (Line ${line}) Tj ET`).join('\n'));
      return pdfFile({
        ...onePage(text),
        2: '<</Type/Pages/Count 2/Kids[3 0 R 6 0 R]>>',
        6: '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 5 0 R>>>>/Contents 7 0 R>>',
        7: { ...page, data: (page.data as Buffer).subarray(0, 300) },
      });
    },
    answer: 'Text of a page\f',
  },
  {
    name: 'a PDF that was cut off in its first object',
    source: 'a download that stopped',
    make: () => whole().subarray(0, 40),
    answer: 'refused: damaged',
  },
  {
    name: 'a PDF after other bytes, as some servers send it',
    source: 'Adobe PDF Reference 1.7, appendix H.3, note 13',
    make: () => Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\n\r\n'), whole()]),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose lines end with carriage returns',
    source: 'ISO 32000-1, 7.2.2',
    make: () => replaced(/(?<!stream)\n/g, '\r'),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose streams have a wrong length',
    source: 'ISO 32000-1, 7.3.8.2',
    make: () => replaced(/\/Length \d+/, '/Length 3'),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF of version 2.0',
    source: 'ISO 32000-2, 7.5.2',
    make: () => pdfFile(onePage(text), { header: '%PDF-2.0\n' }),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF that claims fewer pages than none',
    source: 'ISO 32000-1, 7.7.3.2: /Count',
    make: () => replaced('/Count 1', '/Count -1'),
    answer: 'refused: damaged',
  },
  {
    name: 'a PDF whose tree of pages has a missing branch',
    source: 'ISO 32000-1, 7.3.10: a reference to no object is null',
    make: () => pdfFile({ ...onePage(text), 2: '<</Type/Pages/Count 2/Kids[3 0 R 99 0 R]>>' }),
    answer: /^Text of a page/,
  },
  {
    name: 'a PDF whose tree of pages contains itself',
    source: 'mozilla/pdf.js: test/pdfs/Pages-tree-refs.pdf',
    make: () => pdfFile({ ...onePage(text), 2: '<</Type/Pages/Count 3/Kids[3 0 R 2 0 R]>>' }),
    answer: /^Text of a page/,
  },
  {
    name: 'a PDF whose only page contains itself',
    source: 'ISO 32000-1, 7.7.3',
    make: () => pdfFile({ ...onePage(text), 2: '<</Type/Pages/Count 1/Kids[2 0 R]>>' }),
    answer: /^refused: (damaged|no_text)$/,
  },
  {
    name: 'a PDF whose page is in pieces, cut within an operator',
    source: 'ISO 32000-1, 7.8.2: content arrays',
    make: () =>
      pdfFile(onePage('BT /F 12 Tf 72 720 Td (Two', { page: '/Contents[4 0 R 6 0 R]', objects: { 6: { data: ' pieces) Tj ET' } } })),
    answer: /Two|pieces|refused: no_text/,
  },
  {
    name: 'a PDF in hexadecimal',
    source: 'ISO 32000-1, 7.4.2',
    make: () => filtered(hexadecimal, '/ASCIIHexDecode'),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose page went through two filters',
    source: 'ISO 32000-1, 7.4.1',
    make: () => filtered(`${(deflated(text).data as Buffer).toString('hex')}>`, '[/ASCIIHexDecode/FlateDecode]'),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF with runs of equal bytes',
    source: 'ISO 32000-1, 7.4.5',
    make: () => filtered(Buffer.concat([Buffer.from([text.length - 1]), Buffer.from(text), Buffer.from([128])]), '/RunLengthDecode'),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF with a filter that nobody knows',
    source: 'ISO 32000-1, 7.4.1',
    make: () => filtered('?', '/Unknown'),
    answer: 'refused: no_text',
  },
  {
    name: 'a PDF with 1,000 pages',
    source: 'ISO 32000-1, 7.7.3',
    make: () => {
      const numbers = Array.from({ length: 1_000 }, (_, index) => index);
      const kids = numbers.map((index) => `${6 + 2 * index} 0 R`).join(' ');
      const pages = numbers.flatMap((index) => [
        [6 + 2 * index, `<</Type/Page/Parent 2 0 R/Resources<</Font<</F 5 0 R>>>>/Contents ${7 + 2 * index} 0 R>>`],
        [7 + 2 * index, { data: shows(`Page ${index + 1}`) }],
      ]);
      return pdfFile({ ...onePage(''), 2: `<</Type/Pages/Count 1000/Kids[${kids}]>>`, ...Object.fromEntries(pages) });
    },
    answer: /\fPage 700\f.*\fPage 1000$/s,
  },
  {
    name: 'a PDF with pages of pictures alone, as a scanner makes it',
    source: 'ISO 32000-1, 8.9',
    make: () => pdfFile(onePage('q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI Q')),
    answer: 'refused: no_text',
  },
  {
    name: 'a scanned PDF with invisible text that a program recognised',
    source: 'ISO 32000-1, 9.3.6: text rendering mode 3',
    make: () => pdfFile(onePage('BT 3 Tr /F 12 Tf 72 720 Td (Recognised text) Tj ET')),
    answer: 'Recognised text',
  },
  {
    name: 'a PDF with a picture of 4 billion pixels',
    source: 'CWE-789; ISO 32000-1, 8.9.5',
    make: () => {
      const entries = '/Type/XObject/Subtype/Image/Width 65535/Height 65535/ColorSpace/DeviceRGB/BitsPerComponent 8';
      const objects = { 6: deflated(Buffer.alloc(1_000), entries) };
      return pdfFile(onePage(`q 9 0 0 9 0 0 cm /X Do Q ${text}`, { resources: '/XObject<</X 6 0 R>>', objects }));
    },
    answer: 'Text of a page',
  },
  {
    name: 'a PDF with a form that contains itself',
    source: 'ISO 32000-1, 8.10; mozilla/pdf.js: test/pdfs/ContentStreamCycleType3insideType3.pdf',
    make: () => {
      const entries = '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>';
      return pdfFile(onePage(`${text} /X Do`, { resources: '/XObject<</X 6 0 R>>', objects: { 6: { data: '/X Do', entries } } }));
    },
    answer: /^Text of a page/,
  },
  {
    name: 'a PDF whose text is in a form',
    source: 'ISO 32000-1, 8.10',
    make: () => {
      const entries = '/Type/XObject/Subtype/Form/BBox[0 0 999 999]/Resources<</Font<</F 5 0 R>>>>';
      return pdfFile(onePage('/X Do', { resources: '/XObject<</X 6 0 R>>', objects: { 6: { data: text, entries } } }));
    },
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose bookmarks lead in a circle',
    source: 'ISO 32000-1, 12.3.3',
    make: () =>
      pdfFile(
        onePage(text, {
          catalog: '/Outlines 6 0 R',
          objects: {
            6: '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>',
            7: '<</Title(One)/Parent 6 0 R/Next 7 0 R/First 6 0 R/Dest[3 0 R/Fit]>>',
          },
        }),
      ),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF with 150,000 bookmarks side by side',
    source: 'ISO 32000-1, 12.3.3',
    make: () => {
      const numbers = Array.from({ length: 150_000 }, (_, index) => index + 7);
      const entries = numbers.map((at) => [at, `<</Title(B)/Parent 6 0 R/Dest[3 0 R/Fit]/Next ${at + 1} 0 R>>`]);
      const objects = { 6: '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>', ...Object.fromEntries(entries) };
      return pdfFile(onePage(text, { catalog: '/Outlines 6 0 R', objects }));
    },
    answer: 'Text of a page',
    is_heavy: true,
  },
  {
    name: 'a PDF for the eyes of certain programs: no catalog',
    source: 'ISO 32000-1, 7.7.2',
    make: () => pdfFile({ 1: '<</Type/Nothing>>' }),
    answer: 'refused: damaged',
  },
  {
    name: 'a PDF with a font that is a page',
    source: 'ISO 32000-1, 9.6',
    make: () => pdfFile(onePage(text, { font: '3 0 R' })),
    answer: /Text of a page|refused: no_text/,
  },
  {
    name: 'a PDF with the header of one alone',
    source: 'ISO 32000-1, 7.5.2',
    make: () => '%PDF-1.7\n%âãÏÓ\n',
    answer: 'refused: damaged',
  },
  {
    name: 'a PDF in Chinese whose tables are asked for at another address',
    source: 'ISO 32000-1, 9.7.5: predefined CMaps come from the reader alone',
    make: (url) => pdfFile(onePage(codes('4F60597D'), { font: asianFont(`#2e#2e#2f${url.replaceAll('/', '#2f')}`, 'GB1', 'SimSun') })),
    answer: /./,
  },
];
