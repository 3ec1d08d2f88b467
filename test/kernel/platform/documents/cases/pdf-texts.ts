import { shows } from '../made.js';
import { asianFont, codes, onePage, pdfFile, toUnicode } from '../made-pdf.js';
import type { DocumentCase } from './case.js';

const composite = (entries: string) =>
  '<</Type/Font/Subtype/Type0/BaseFont/Own/Encoding/Identity-H/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/Own' +
  `/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/DW 1000>>]${entries}>>`;
const mapped = (pairs: Readonly<Record<string, string>>, hexadecimal: string) =>
  pdfFile(onePage(codes(hexadecimal), { font: composite('/ToUnicode 6 0 R'), objects: { 6: toUnicode(pairs) } }));
const asian = (encoding: string, ordering: string, name: string, hexadecimal: string) =>
  pdfFile(onePage(codes(hexadecimal), { font: asianFont(encoding, ordering, name) }));
const simple = (entries: string, content: string) =>
  pdfFile(onePage(content, { font: `<</Type/Font/Subtype/Type1/BaseFont/Helvetica${entries}>>` }));
const drawn = (content: string) => pdfFile(onePage(content));

/** PDFs whose text is hard to read: scripts, encodings, and where it stands on the page. */
export const pdfTexts: readonly DocumentCase[] = [
  {
    name: 'a PDF in Simplified Chinese, in Unicode, without an embedded font',
    source: 'ISO 32000-1, table 118: UniGB-UCS2-H',
    make: () => asian('UniGB-UCS2-H', 'GB1', 'SimSun', '4F60597D4E16754C'),
    answer: '你好世界',
  },
  {
    name: 'a PDF in Simplified Chinese, in GBK',
    source: 'ISO 32000-1, table 118: GBK-EUC-H',
    make: () => asian('GBK-EUC-H', 'GB1', 'SimHei', 'C4E3BAC3'),
    answer: '你好',
  },
  {
    name: 'a PDF in Traditional Chinese, in Big Five',
    source: 'ISO 32000-1, table 118: ETen-B5-H',
    make: () => asian('ETen-B5-H', 'CNS1', 'MingLiU', 'A741A66E'),
    answer: '你好',
  },
  {
    name: 'a PDF in Japanese, in Shift JIS',
    source: 'ISO 32000-1, table 118: 90ms-RKSJ-H',
    make: () => asian('90ms-RKSJ-H', 'Japan1', 'MS-Gothic', '93FA967B8CEA'),
    answer: '日本語',
  },
  {
    name: 'a PDF in Korean',
    source: 'ISO 32000-1, table 118: KSCms-UHC-H',
    make: () => asian('KSCms-UHC-H', 'Korea1', 'Batang', 'C7D1B1B9'),
    answer: '한국',
  },
  {
    name: 'a PDF with the numbers of Japanese glyphs in place of characters',
    source: 'ISO 32000-1, 9.10.2: Identity-H with the collection Adobe-Japan1',
    make: () => asian('Identity-H', 'Japan1', 'KozMinPro', '034C034D'),
    answer: /^[^\n]{1,2}$/u,
  },
  {
    name: 'a PDF in Chinese that is written from top to bottom',
    source: 'ISO 32000-1, 9.7.4.3: UniGB-UCS2-V',
    make: () => asian('UniGB-UCS2-V', 'GB1', 'SimSun', '4F60597D4E16754C'),
    answer: /你\s*好\s*世\s*界/,
  },
  {
    name: 'a PDF in Hebrew, whose glyphs stand in the order of the page',
    source: 'Unicode Standard Annex 9',
    make: () => mapped({ '0001': 'ם', '0002': 'ו', '0003': 'ל', '0004': 'ש' }, '0001000200030004'),
    answer: 'שלום',
  },
  {
    name: 'a PDF in Arabic with the forms of letters in words',
    source: 'Unicode Standard, block Arabic Presentation Forms-B',
    make: () => mapped({ '0001': 'ﻡ', '0002': 'ﻼ', '0003': 'ﺳ' }, '000100020003'),
    answer: 'سلام',
  },
  {
    name: 'a PDF with a font of which nobody knows the characters',
    source: 'ISO 32000-1, 9.10.2: no way to map codes to Unicode',
    make: () => pdfFile(onePage(codes('00030004'), { font: composite('') })),
    answer: /^(refused: no_text|.{1,4})$/s,
  },
  {
    name: 'a PDF whose table maps a code to several characters',
    source: 'ISO 32000-1, 9.10.3: ligatures',
    make: () => mapped({ '0001': 'ffi', '0002': 'x' }, '00010002'),
    answer: 'ffix',
  },
  {
    name: 'a PDF with characters beyond the first 65,536',
    source: 'ISO 32000-1, 9.10.3: surrogates in UTF-16BE',
    make: () => mapped({ '0001': '𠮷', '0002': '😀' }, '00010002'),
    answer: '𠮷😀',
  },
  {
    name: 'a PDF whose table of characters is broken',
    source: 'ISO 32000-1, 9.10.3',
    make: () =>
      pdfFile(
        onePage(shows('Still text'), {
          font: '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode 6 0 R>>',
          objects: { 6: { data: '<<<begincmap 1 beginbfchar <' } },
        }),
      ),
    answer: /Still text|refused: no_text/,
  },
  {
    name: 'a PDF whose table maps to lone halves of characters',
    source: 'Unicode Standard, 3.9: surrogates',
    make: () =>
      pdfFile(
        onePage(codes('0001'), {
          font: composite('/ToUnicode 6 0 R'),
          objects: {
            6: { data: 'begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange 1 beginbfchar <0001> <D83D> endbfchar endcmap' },
          },
        }),
      ),
    answer: /^(?:refused: no_text|\P{Cs}*)$/u,
  },
  {
    name: 'a PDF with names of glyphs in place of codes',
    source: 'ISO 32000-1, 9.6.6: Differences',
    make: () => simple('/Encoding<</Type/Encoding/Differences[65/Euro/germandbls/uni4E16/emdash]>>', shows('ABCD')),
    answer: '€ß世—',
  },
  {
    name: 'a PDF in the encoding of old Macs',
    source: 'ISO 32000-1, annex D.2: MacRomanEncoding',
    make: () => simple('/Encoding/MacRomanEncoding', codes('477291C3A7')),
    answer: /^Grë/,
  },
  {
    name: 'a PDF with a font of symbols',
    source: 'ISO 32000-1, annex D.5',
    make: () => pdfFile(onePage(codes('616267'), { font: '<</Type/Font/Subtype/Type1/BaseFont/Symbol>>' })),
    answer: 'αβγ',
  },
  {
    name: 'a PDF whose glyphs are drawings',
    source: 'ISO 32000-1, 9.6.5: Type 3',
    make: () => {
      const font =
        '<</Type/Font/Subtype/Type3/FontBBox[0 0 9 9]/FontMatrix[.1 0 0 .1 0 0]/CharProcs<</a 6 0 R/b 6 0 R>>' +
        '/Encoding<</Type/Encoding/Differences[97/a/b]>>/FirstChar 97/LastChar 98/Widths[9 9]/Resources<<>>>>';
      return pdfFile(onePage(codes('6162'), { font, objects: { 6: { data: '9 0 d0 0 0 9 9 re f' } } }));
    },
    answer: 'ab',
  },
  {
    name: 'a PDF in which each letter is placed by itself',
    source: 'ISO 32000-1, 9.4.3: TJ',
    make: () => drawn('BT /F 12 Tf 72 720 Td [(T)-20(o)-20(g)-20(e)-20(t)-20(h)-20(e)-20(r)] TJ ET'),
    answer: 'Together',
  },
  {
    name: 'a PDF with gaps in place of spaces',
    source: 'ISO 32000-1, 9.4.3: TJ',
    make: () => drawn('BT /F 12 Tf 72 720 Td [(Two)-600(words)] TJ ET'),
    answer: 'Two words',
  },
  {
    name: 'a PDF with two columns',
    source: 'ISO 32000-1, 14.8.2.3: the order of the content',
    make: () => drawn('BT /F 12 Tf 72 720 Td (Left) Tj 0 -14 Td (below) Tj 250 14 Td (Right) Tj 0 -14 Td (too) Tj ET'),
    answer: 'Left\nbelow\nRight\ntoo',
  },
  {
    name: 'a PDF with a page that lies on its side',
    source: 'ISO 32000-1, 7.7.3.3: /Rotate',
    make: () => pdfFile(onePage(shows('First', 'Second'), { page: '/Rotate 90' })),
    answer: 'First\nSecond',
  },
  {
    name: 'a PDF with text in four kinds of quotation: octal, escaped, in brackets, in hexadecimal',
    source: 'ISO 32000-1, 7.3.4',
    make: () => drawn('BT /F 12 Tf 72 720 Td (\\101\\(b\\)) Tj 0 -14 Td ((in) \\\nside) Tj 0 -14 Td <4F 6b> Tj ET'),
    answer: 'A(b)\n(in) side\nOk',
  },
  {
    name: 'a PDF with letters of no size, outside of the page and in white',
    source: 'a hidden instruction is text as any other',
    make: () => drawn('BT /F 12 Tf 72 720 Td (Seen) Tj 1 1 1 rg 0 -14 Td (White) Tj /F 0.01 Tf 0 -14 Td (Tiny) Tj ET'),
    answer: /^Seen\nWhite/,
  },
];
