import { docx, links, paragraph, zip } from '../made.js';
import type { DocumentCase } from './case.js';

const word = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';
const run = (text: string) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const row = (...cells: readonly string[]) => `<w:tr>${cells.map((cell) => `<w:tc>${cell}</w:tc>`).join('')}</w:tr>`;
const part = (name: string, content: string) => `<w:${name} xmlns:w="${word}">${content}</w:${name}>`;
const related = (type: string, content: string) => ({
  'word/_rels/document.xml.rels': links({ type, target: `${type}.xml` }),
  [`word/${type}.xml`]: content,
});

/** Text documents. */
export const letters: readonly DocumentCase[] = [
  {
    name: 'a letter with changes that were tracked: what was put in is text, what was taken out is not',
    source: 'ECMA-376 part 1, 17.13.5',
    make: () =>
      docx(`<w:p>${run('Pay ')}<w:ins w:id="1">${run('ten')}</w:ins><w:del w:id="2"><w:r><w:delText>two</w:delText></w:r></w:del></w:p>`),
    answer: 'Pay ten',
  },
  {
    name: 'a letter with a paragraph that was moved',
    source: 'ECMA-376 part 1, 17.13.5.22 and 17.13.5.25',
    make: () => docx(`<w:p><w:moveFrom w:id="1">${run('Here')}</w:moveFrom></w:p><w:p><w:moveTo w:id="2">${run('There')}</w:moveTo></w:p>`),
    answer: 'There',
  },
  {
    name: 'a letter with remarks of readers',
    source: 'ECMA-376 part 1, 17.13.4',
    make: () =>
      docx(
        `<w:p>${run('Draft')}<w:r><w:commentReference w:id="0"/></w:r></w:p>`,
        related('comments', part('comments', `<w:comment w:id="0" w:initials="AL">${paragraph('Too short')}</w:comment>`)),
      ),
    answer: /^Draft\[AL1\]\n.*AL1.*Too short/s,
  },
  {
    name: 'a letter with a footnote',
    source: 'ECMA-376 part 1, 17.11',
    make: () =>
      docx(
        `<w:p>${run('Claim')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`,
        related('footnotes', part('footnotes', `<w:footnote w:id="2">${paragraph('Proof')}</w:footnote>`)),
      ),
    answer: /^Claim\[1\]\n.*Proof/s,
  },
  {
    name: 'a letter with an endnote',
    source: 'ECMA-376 part 1, 17.11',
    make: () =>
      docx(
        `<w:p>${run('Claim')}<w:r><w:endnoteReference w:id="2"/></w:r></w:p>`,
        related('endnotes', part('endnotes', `<w:endnote w:id="2">${paragraph('Source')}</w:endnote>`)),
      ),
    answer: /^Claim\[1\]\n.*Source/s,
  },
  {
    name: 'a letter with a table in a table and joined cells',
    source: 'ECMA-376 part 1, 17.4',
    make: () =>
      docx(
        `<w:tbl>${row(paragraph('A'), `<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph('B')}<w:tbl>${row(paragraph('C'))}</w:tbl>`)}</w:tbl>`,
      ),
    answer: /A.*B.*C/s,
  },
  {
    name: 'a letter with a list',
    source: 'ECMA-376 part 1, 17.9',
    make: () => {
      const item = (text: string) => `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>${run(text)}</w:p>`;
      const list = '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>';
      const numbering = part('numbering', `${list}<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>`);
      return docx(item('One') + item('Two'), related('numbering', numbering));
    },
    answer: '- One\n- Two',
  },
  {
    name: 'a letter with a text box, which is there twice for older programs',
    source: 'ECMA-376 part 3, 10.2: AlternateContent',
    make: () => {
      const box = `<w:txbxContent>${paragraph('In a box')}</w:txbxContent>`;
      const mc = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:v="urn:schemas-microsoft-com:vml"';
      const both = `<mc:Choice Requires="wps">${box}</mc:Choice><mc:Fallback><w:pict><v:textbox>${box}</v:textbox></w:pict></mc:Fallback>`;
      return docx(`<w:p ${mc}><w:r><mc:AlternateContent>${both}</mc:AlternateContent></w:r></w:p>`);
    },
    answer: 'In a box',
  },
  {
    name: 'a letter with a link and a field',
    source: 'ECMA-376 part 1, 17.16',
    make: () =>
      docx(
        `<w:p><w:hyperlink r:id="r1">${run('here')}</w:hyperlink>${run(' on ')}<w:fldSimple w:instr="DATE">${run('Monday')}</w:fldSimple></w:p>`,
      ),
    answer: 'here on Monday',
  },
  {
    name: 'a letter with a control for content',
    source: 'ECMA-376 part 1, 17.5.2',
    make: () => docx(`<w:sdt><w:sdtContent>${paragraph('Controlled')}</w:sdtContent></w:sdt>`),
    answer: 'Controlled',
  },
  {
    name: 'a letter in Arabic with a word in English',
    source: 'ECMA-376 part 1, 17.3.2.30: text is stored in the order of reading',
    make: () => docx(`<w:p><w:pPr><w:bidi/></w:pPr>${run('مرحبا Word عالم')}</w:p>`),
    answer: 'مرحبا Word عالم',
  },
  {
    name: 'a letter with breaks, tabs and hyphens',
    source: 'ECMA-376 part 1, 17.3.3',
    make: () => docx('<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t></w:r></w:p>'),
    answer: 'a b\nc‑d',
  },
  {
    name: 'a letter in the strict form of the standard',
    source: 'ISO/IEC 29500-1: other names of types',
    make: () => {
      const strict = 'http://purl.oclc.org/ooxml';
      return zip({
        '_rels/.rels': links({ type: 'officeDocument', target: 'word/document.xml' }).replaceAll(
          'http://schemas.openxmlformats.org/officeDocument/2006',
          `${strict}/officeDocument`,
        ),
        '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
        'word/document.xml': `<w:document xmlns:w="${strict}/wordprocessingml/main"><w:body>${paragraph('Strict')}</w:body></w:document>`,
      });
    },
    answer: 'Strict',
  },
  {
    name: 'a letter whose parts are in UTF-16',
    source: 'ECMA-376 part 2, 9.1.4: parts are UTF-8 or UTF-16',
    make: () => {
      const text = `<?xml version="1.0" encoding="UTF-16"?><w:document xmlns:w="${word}"><w:body>${paragraph('Größe')}</w:body></w:document>`;
      return docx('', { 'word/document.xml': Buffer.from(`\ufeff${text}`, 'utf16le') });
    },
    answer: 'Größe',
  },
  {
    name: 'a letter whose parts are named in capitals',
    source: 'ECMA-376 part 2, 9.1.1.3: names ignore case',
    make: async () => {
      const whole = await docx(paragraph('Capitals'));
      const names = (bytes: Buffer) => bytes.toString('latin1').replaceAll('word/document.xml', 'WORD/DOCUMENT.XML');
      return Buffer.from(names(whole), 'latin1');
    },
    answer: 'Capitals',
  },
  {
    name: 'a letter with macros',
    source: 'ECMA-376; [MS-OVBA]: vbaProject.bin',
    make: () => docx(paragraph('Letter'), { 'word/vbaProject.bin': 'Attribute VB_Name = "Sub AutoOpen()"' }),
    answer: 'Letter',
  },
  {
    name: 'a letter without styles',
    source: 'ECMA-376 part 1, 11.3: optional parts',
    make: () => docx(paragraph('Plain', 'Missing'), { 'word/_rels/document.xml.rels': links() }),
    answer: 'Plain',
  },
  {
    name: 'a letter of pictures alone',
    source: 'ECMA-376 part 1, 20.2',
    make: () => docx('<w:p><w:r><w:drawing/></w:r></w:p>'),
    answer: 'refused: no_text',
  },
  {
    name: 'a letter with a header and a footer',
    source: 'ECMA-376 part 1, 17.10; apache/poi: headerFooter.docx',
    make: () =>
      docx(paragraph('Letter'), {
        'word/_rels/document.xml.rels': links(
          { type: 'header', target: 'h.xml' },
          { type: 'header', target: 'h.xml' },
          { type: 'footer', target: 'f.xml' },
        ),
        'word/h.xml': part('hdr', paragraph('Secret')),
        'word/f.xml': part('ftr', `<w:p><w:fldSimple w:instr="PAGE">${run('1')}</w:fldSimple>${run(' of 2')}</w:p>`),
      }),
    answer: 'Letter\nHeader: Secret\nFooter: 1 of 2',
  },
  {
    name: 'a letter with Japanese words and how they are read',
    source: 'ECMA-376 part 1, 17.3.3.25; apache/poi: 61470.docx',
    make: () =>
      docx(
        `<w:p><w:r><w:ruby><w:rubyPr><w:lid w:val="ja-JP"/></w:rubyPr><w:rt>${run('とうきょう')}</w:rt><w:rubyBase>${run('東京')}</w:rubyBase></w:ruby></w:r></w:p>`,
      ),
    answer: '東京',
  },
  {
    name: 'a letter with bytes after its end',
    source: 'apache/poi: stress005.docx, which has one',
    make: async () => Buffer.concat([await docx(paragraph('Letter')), Buffer.from('\r\n--boundary--')]),
    answer: 'Letter',
  },
  {
    name: 'a letter that was cut off',
    source: 'a download that stopped',
    make: async () => (await docx(paragraph('Letter'))).subarray(0, 600),
    answer: 'refused: damaged',
  },
  {
    name: 'a letter whose main part is missing',
    source: 'ECMA-376 part 1, 11.3.10',
    make: () => zip({ '_rels/.rels': links({ type: 'officeDocument', target: 'word/document.xml' }) }),
    answer: /^refused: (unknown|damaged)$/,
  },
  {
    name: 'a letter with an element that is not closed',
    source: 'XML 1.0, 3.1',
    make: () => docx('<w:p><w:r><w:t>Open'),
    answer: 'refused: damaged',
  },
  {
    name: 'a letter whose packed bytes are wrong',
    source: 'RFC 1951',
    make: async () => {
      const bytes = await docx(paragraph('x'.repeat(50_000)));
      const at = bytes.indexOf('word/document.xml') + 'word/document.xml'.length;
      bytes.fill(0xff, at, at + 20);
      return bytes;
    },
    answer: 'refused: damaged',
  },
];
