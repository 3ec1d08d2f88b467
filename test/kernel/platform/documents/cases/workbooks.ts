import { links, pptx, shape, xlsx, zip } from '../made.js';
import type { DocumentCase } from './case.js';

const sheet = (rows: string) => [{ name: 'S', rows }];
const cell = (content: string, attributes = '') => `<c${attributes}>${content}</c>`;
const dates = (formats: readonly string[]) => {
  const list = formats.map((format, index) => `<numFmt numFmtId="${164 + index}" formatCode="${format}"/>`);
  const styles = formats.map((_, index) => `<xf numFmtId="${164 + index}"/>`);
  return `<numFmts>${list.join('')}</numFmts><cellXfs><xf numFmtId="0"/>${styles.join('')}</cellXfs>`;
};
const workbook = (more: string) =>
  `<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">${more}</workbook>`;

/** Workbooks and presentations. */
export const workbooks: readonly DocumentCase[] = [
  {
    name: 'a workbook with texts in the cells and texts that cells share',
    source: 'ECMA-376 part 1, 18.3.1.53 and 18.4.8',
    make: () =>
      xlsx({
        shared: '<si><t>Shared</t></si>',
        sheets: sheet(`<row>${cell('<is><t>Own</t></is>', ' t="inlineStr"')}${cell('<v>0</v>', ' t="s"')}</row>`),
      }),
    answer: 'S\nOwn\tShared',
  },
  {
    name: 'a workbook with Japanese texts and how they are read',
    source: 'ECMA-376 part 1, 18.4.6: phonetic runs',
    make: () =>
      xlsx({
        shared: '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si>',
        sheets: sheet(
          `<row>${cell('<v>0</v>', ' t="s"')}${cell('<is><t>大阪</t><rPh sb="0" eb="2"><t>オオサカ</t></rPh></is>', ' t="inlineStr"')}</row>`,
        ),
      }),
    answer: 'S\n東京\t大阪',
  },
  {
    name: 'a workbook with a cell of text without text',
    source: 'ECMA-376 part 1, 18.3.1.4',
    make: () => xlsx({ shared: '<si><t>First</t></si>', sheets: sheet(`<row>${cell('<v></v>', ' t="s"')}${cell('<v>1</v>')}</row>`) }),
    answer: 'S\n\t1',
  },
  {
    name: 'a workbook with a text that does not exist',
    source: 'ECMA-376 part 1, 18.18.11: the index of a shared string',
    make: () => xlsx({ sheets: sheet(`<row>${cell('<v>99</v>', ' t="s"')}${cell('<v>-1</v>', ' t="s"')}${cell('<v>1</v>')}</row>`) }),
    answer: 'S\n\t\t1',
  },
  {
    name: 'a workbook with days and times',
    source: 'ECMA-376 part 1, 18.17.4 and 18.8.30',
    make: () =>
      xlsx({
        styles: dates(['yyyy\\-mm\\-dd', 'h:mm', '[h]:mm:ss', '&quot;day&quot; 0']),
        sheets: sheet(
          `<row>${cell('<v>45000</v>', ' s="1"')}${cell('<v>0.75</v>', ' s="2"')}${cell('<v>1.5</v>', ' s="3"')}${cell('<v>7</v>', ' s="4"')}</row>`,
        ),
      }),
    answer: 'S\n2023-03-15\t18:00:00\t36:00:00\t7',
  },
  {
    name: 'a workbook whose days count from 1904',
    source: 'ECMA-376 part 1, 18.2.28: date1904',
    make: () =>
      xlsx({
        styles: dates(['yyyy']),
        sheets: sheet(`<row>${cell('<v>0</v>', ' s="1"')}${cell('<v>2958465</v>', ' s="1"')}</row>`),
        parts: { 'xl/workbook.xml': workbook('<workbookPr date1904="1"/><sheets><sheet name="S" r:id="r1"/></sheets>') },
      }),
    answer: 'S\n1904-01-01\t2958465',
  },
  {
    name: 'a workbook with the day that never was, and days out of range',
    source: 'ECMA-376 part 1, 18.17.4.1: 1900 as a leap year',
    make: () =>
      xlsx({
        styles: dates(['yyyy']),
        sheets: sheet(`<row>${['59', '61', '-1', '1e300', 'NaN'].map((value) => cell(`<v>${value}</v>`, ' s="1"')).join('')}</row>`),
      }),
    answer: 'S\n1900-02-28\t1900-03-01\t-1\t1e+300\tNaN',
  },
  {
    name: 'a workbook in the strict form, with days as text',
    source: 'ISO/IEC 29500-1, 18.18.11: t="d"',
    make: () => xlsx({ sheets: sheet(`<row>${cell('<v>2026-11-27</v>', ' t="d"')}</row>`) }),
    answer: 'S\n2026-11-27',
  },
  {
    name: 'a workbook with formulas, errors and truth',
    source: 'ECMA-376 part 1, 18.3.1.40',
    make: () =>
      xlsx({
        sheets: sheet(`<row>${cell('<f>1+1</f><v>2</v>')}${cell('<f>1/0</f><v>#DIV/0!</v>', ' t="e"')}${cell('<v>1</v>', ' t="b"')}</row>`),
      }),
    answer: 'S\n2\t#DIV/0!\tTRUE',
  },
  {
    name: 'a workbook of a program that does not calculate: formulas without values',
    source: 'openpyxl documentation: formulas are written, not evaluated',
    make: () => xlsx({ sheets: sheet(`<row>${cell('<v>3</v>')}${cell('<f>SUM(A1:A1)</f>')}${cell('<f>A1*2</f><v></v>')}</row>`) }),
    answer: 'S\n3\t=SUM(A1:A1)\t=A1*2',
  },
  {
    name: 'a workbook with hidden sheets',
    source: 'ECMA-376 part 1, 18.18.68: hidden and veryHidden',
    make: () =>
      xlsx({
        sheets: [
          { name: 'S', rows: `<row>${cell('<v>1</v>')}</row>` },
          { name: 'H', rows: `<row>${cell('<v>2</v>')}</row>` },
        ],
        parts: {
          'xl/workbook.xml': workbook('<sheets><sheet name="S" r:id="r1"/><sheet name="H" state="veryHidden" r:id="r2"/></sheets>'),
        },
      }),
    answer: 'S\n1\fH\n2',
  },
  {
    name: 'a workbook with large, small and exact numbers',
    source: 'ECMA-376 part 1, 18.3.1.96; IEEE 754',
    make: () =>
      xlsx({ sheets: sheet(`<row>${['1E+20', '0.1', '1.0', '-0.00000001'].map((value) => cell(`<v>${value}</v>`)).join('')}</row>`) }),
    answer: 'S\n100000000000000000000\t0.1\t1\t-1e-8',
  },
  {
    name: 'a workbook whose cells have line breaks and tabs',
    source: 'a row is a line of the text',
    make: () => xlsx({ sheets: sheet(`<row>${cell('<is><t>one\ntwo\tthree</t></is>', ' t="inlineStr"')}</row>`) }),
    answer: 'S\none two three',
  },
  {
    name: 'a workbook with the last cell of the widest row',
    source: 'ECMA-376 part 1, 18.3.1.73: columns to XFD',
    make: () => xlsx({ sheets: sheet(`<row r="1048576">${cell('<v>7</v>', ' r="XFD1048576"')}</row>`) }),
    answer: /^S\n\t{20}7$/,
  },
  {
    name: 'a workbook with a chart in place of a sheet',
    source: 'ECMA-376 part 1, 12.3.2',
    make: () =>
      xlsx({
        sheets: sheet(`<row>${cell('<v>1</v>')}</row>`),
        parts: {
          'xl/workbook.xml': workbook('<sheets><sheet name="C" r:id="r9"/><sheet name="S" r:id="r1"/></sheets>'),
        },
      }),
    answer: 'S\n1',
  },
  {
    name: 'a workbook in binary form',
    source: '[MS-XLSB]',
    make: () =>
      zip({ '_rels/.rels': links({ type: 'officeDocument', target: 'xl/workbook.bin' }), 'xl/workbook.bin': Buffer.from('830100', 'hex') }),
    answer: 'refused: binary_workbook',
  },
  {
    name: 'a workbook with XML in Latin letters of another encoding',
    source: 'XML 1.0, 4.3.3: UTF-8 without a mark',
    make: () =>
      xlsx({
        sheets: sheet(''),
        parts: { 'xl/worksheets/sheet1.xml': Buffer.from('<x><row><c t="str"><v>Gr\xfc\xdfe</v></c></row></x>', 'latin1') },
      }),
    answer: 'S\nGr\ufffd\ufffde',
  },
  {
    name: 'a workbook with remarks on cells',
    source: 'ECMA-376 part 1, 18.7',
    make: () =>
      xlsx({
        sheets: sheet(`<row>${cell('<v>1</v>')}</row>`),
        parts: {
          'xl/worksheets/_rels/sheet1.xml.rels': links({ type: 'comments', target: '../comments1.xml' }),
          'xl/comments1.xml':
            '<comments><commentList><comment ref="B2"><text><r><t>Why </t></r><r><t>one?</t></r></text></comment></commentList></comments>',
        },
      }),
    answer: 'S\n1\nComment on B2: Why one?',
  },
  {
    name: 'a presentation with a chart and comments of both kinds',
    source: 'ECMA-376 part 1, 21.2 and 19.4; [MS-PPTX] 2.6',
    make: () => {
      const series =
        '<ser><tx><strRef><strCache><pt><v>Sales</v></pt></strCache></strRef></tx><cat><pt><v>East</v></pt><pt><v>West</v></pt></cat><val><pt><v>4</v></pt><pt><v>5</v></pt></val></ser>';
      return zip({
        '_rels/.rels': links({ type: 'officeDocument', target: 'ppt/presentation.xml' }),
        'ppt/presentation.xml': '<presentation xmlns:r="r"><sldId r:id="r1"/></presentation>',
        'ppt/_rels/presentation.xml.rels': links({ type: 'slide', target: 'slide.xml' }),
        'ppt/slide.xml': `<sld xmlns:a="a" xmlns:p="p">${shape('title', 'Plan')}</sld>`,
        'ppt/_rels/slide.xml.rels': links(
          { type: 'chart', target: 'c.xml' },
          { type: 'comments', target: 'old.xml' },
          { type: 'comments', target: 'new.xml' },
        ),
        'ppt/c.xml': `<chartSpace xmlns:a="a"><title><tx><rich><a:p><a:r><a:t>By region</a:t></a:r></a:p></rich></tx></title>${series}</chartSpace>`,
        'ppt/old.xml': '<cmLst><cm><text>Too long</text></cm></cmLst>',
        'ppt/new.xml': '<cmLst xmlns:a="a"><cm><txBody><a:p><a:r><a:t>Too short</a:t></a:r></a:p></txBody></cm></cmLst>',
      });
    },
    answer: 'Plan\n\nBy region\nSales\nEast\tWest\n4\t5\n\nComments:\nToo long\n\nComments:\nToo short',
  },
  {
    name: 'a presentation with notes',
    source: 'ECMA-376 part 1, 19.3.1.26',
    make: () => pptx([{ shapes: shape('title', 'Plan'), notes: shape('body', 'Say hello') + shape('sldNum', '1') }]),
    answer: 'Plan\n\nNotes:\nSay hello',
  },
  {
    name: 'a presentation with an empty slide',
    source: 'ECMA-376 part 1, 19.3.1.38',
    make: () => pptx([{ shapes: '' }, { shapes: shape('body', 'Second') }]),
    answer: '\fSecond',
  },
  {
    name: 'a presentation with fields, breaks and equal text for older programs',
    source: 'ECMA-376 part 1, 21.1.2.2; part 3, 10.2',
    make: () => {
      const box = (text: string) => `<p:sp><p:txBody><a:p><a:r><a:t>${text}</a:t></a:r></a:p></p:txBody></p:sp>`;
      const both = `<mc:AlternateContent><mc:Choice>${box('Once')}</mc:Choice><mc:Fallback>${box('Once')}</mc:Fallback></mc:AlternateContent>`;
      return pptx([{ shapes: `${both}<p:sp><a:p><a:fld><a:t>Monday</a:t></a:fld><a:br/><a:r><a:t>noon</a:t></a:r></a:p></p:sp>` }]);
    },
    answer: 'Once\nMonday\nnoon',
  },
  {
    name: 'a presentation of pictures alone',
    source: 'ECMA-376 part 1, 19.3.1.37',
    make: () => pptx([{ shapes: '<p:pic/>' }, { shapes: '<p:pic/>' }]),
    answer: 'refused: no_text',
  },
];
