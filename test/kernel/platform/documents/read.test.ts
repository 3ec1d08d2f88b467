import t from 'tap';
import type { DocumentText } from '../../../../kernel/contract/documents.js';
import { docx, links, paragraph, pdf, pptx, shape, shows, xlsx, zip } from './made.js';
import { read, text } from './read-here.js';

t.test('a PDF has its own pages and its bookmarks as the outline', async (t) => {
  const bytes = pdf({ pages: [shows('First line', 'Second line'), shows(), shows('Third page')], bookmarks: ['One', 'Two', 'Three'] });
  t.same(await read(bytes), {
    pages: ['First line\nSecond line', '', 'Third page'],
    outline: [
      { title: 'One', page: 1 },
      { title: 'Two', page: 2 },
      { title: 'Three', page: 3 },
    ],
    is_cut: false,
  });
});

t.test('a PDF with a Chinese font that is not embedded is read by the tables of the package', async (t) => {
  const bytes = pdf({ pages: ['BT /F 12 Tf 72 720 Td <4F60597D4E16754C> Tj ET'], font: 'chinese' });
  t.equal(await text(bytes), '你好世界');
});

t.test('a PDF has what was filled into its form', async (t) => {
  t.equal(await text(pdf({ pages: [shows('Form')], field: 'Ada', catalog: '/AcroForm<</Fields[]>>' })), 'Form\nName: Ada');
});

t.test('a PDF that is encrypted, scanned or broken is refused with the reason', async (t) => {
  t.equal(await read(pdf({ pages: [shows('Secret')], encrypted: true })), 'encrypted');
  t.equal(await read(pdf({ pages: [shows(), shows()] })), 'no_text');
  t.equal(await read('%PDF-1.7\nnothing of a document'), 'damaged');
  const whole = pdf({ pages: [shows('Cut off')] });
  t.equal(await text(whole.subarray(0, whole.length - 15)), 'Cut off', 'a PDF that has lost its table is repaired');
});

t.test('a PDF that claims a billion pages is damaged, and its scripts do not run', async (t) => {
  const script = '/OpenAction<</S/JavaScript/JS(app.launchURL\\("http://127.0.0.1:1/"\\))>>';
  const bytes = pdf({ pages: [shows('Still read')], catalog: script });
  t.equal(await text(bytes), 'Still read');
  const many = Buffer.from(
    pdf({ pages: [shows()] })
      .toString('latin1')
      .replace('/Count 1', '/Count 1000000000'),
    'latin1',
  );
  t.match(await read(many), /^(damaged|no_text)$/);
});

t.test('a text document has its headings as the outline, tables and lists as lines', async (t) => {
  const cell = (value: string) => `<w:tc>${paragraph(value)}</w:tc>`;
  const body =
    paragraph('Report', 'H1') +
    paragraph('Costs &amp; gains') +
    `<w:tbl><w:tr>${cell('Year')}${cell('Sum')}</w:tr></w:tbl>` +
    paragraph('שלום עולם');
  const answer = (await read(await docx(body))) as DocumentText;
  t.same(answer.outline, [{ title: 'Report', page: 1 }]);
  t.match(answer.pages[0], /^Report\nCosts & gains\n.*Year\s+Sum\nשלום עולם$/s);
});

t.test('long documents are cut into pages, and headings name theirs', async (t) => {
  const chapter = (number: number) => paragraph(`Chapter ${number}`, 'H1') + paragraph('word '.repeat(400)).repeat(2);
  const { pages, outline } = (await read(await docx([1, 2, 3].map(chapter).join('')))) as DocumentText;
  t.ok(pages.every((page) => page.length <= 3_000));
  t.same(
    outline.map(({ title, page }) => pages[page - 1]?.includes(title)),
    [true, true, true],
  );
});

t.test('a workbook has a page for each sheet, and rows with values, texts and dates', async (t) => {
  const bytes = await xlsx({
    shared: '<si><t>Name</t></si><si><r><t>Ada </t></r><r><t>Lovelace</t></r><rPh><t>phonetic</t></rPh></si>',
    styles:
      '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/><numFmt numFmtId="165" formatCode="[Red]0.0"/></numFmts>' +
      '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="22"/><xf numFmtId="165"/></cellXfs>',
    sheets: [
      {
        name: 'People',
        rows:
          '<row><c r="A1" t="s"><v>0</v></c><c r="C1" t="inlineStr"><is><t>Born</t></is></c></row>' +
          '<row><c r="A2" t="s"><v>1</v></c><c r="C2" s="1"><v>36526</v></c><c r="D2" s="2"><v>36526.5</v></c><c r="E2" s="3"><v>1.50</v></c></row>' +
          '<row><c r="A3" t="str"><f>HYPERLINK("http://127.0.0.1:1/")</f><v>link</v></c><c r="B3" t="b"><v>1</v></c></row>',
      },
      { name: 'Empty', rows: '' },
      { name: 'Last', rows: '<row><c r="XFD1"><v>7</v></c></row>' },
    ],
  });
  t.same(await read(bytes), {
    pages: ['People\nName\t\tBorn\nAda Lovelace\t\t2000-01-01\t2000-01-01 12:00:00\t1.5\nlink\tTRUE', 'Empty', `Last\n${'\t'.repeat(20)}7`],
    outline: [
      { title: 'People', page: 1 },
      { title: 'Empty', page: 2 },
      { title: 'Last', page: 3 },
    ],
    is_cut: false,
  });
});

t.test('a presentation has a page for each slide, with its notes and without repeated placeholders', async (t) => {
  const row = '<a:tr><a:tc><a:p><a:r><a:t>A</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>B</a:t></a:r></a:p></a:tc></a:tr>';
  const bytes = await pptx([
    { shapes: shape('title', 'Plan') + shape('body', 'First', 'Second') + shape('sldNum', '1'), notes: shape('body', 'Say hello') },
    { shapes: `<p:graphicFrame>${row}</p:graphicFrame>` },
  ]);
  t.same(await read(bytes), {
    pages: ['Plan\nFirst\nSecond\n\nNotes:\nSay hello', 'A\tB'],
    outline: [{ title: 'Plan', page: 1 }],
    is_cut: false,
  });
});

t.test('HTML is text without scripts and styles, in the encoding that it declares', async (t) => {
  const html =
    '<!doctype html><html><head><title>T</title><style>p{}</style><script>evil()</script></head><body><h1>Head &amp; more</h1>' +
    '<p>One\n two<br>three<img src="http://127.0.0.1:1/x.png"></p><ul><li>item</li></ul><table><tr><td>a</td><td>b</td></tr></table>' +
    '<pre>x\n  y</pre>';
  t.same(await read(html), {
    pages: ['T\nHead & more\nOne two\nthree\n- item\na\tb\nx\n  y'],
    outline: [{ title: 'Head & more', page: 1 }],
    is_cut: false,
  });
  t.equal(await text(Buffer.from('<html><meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2', 'latin1')), 'Привет');
  t.equal(await text('<p>part</p>', 'part.html'), 'part');
  t.equal(await text('<p>part</p>', 'part.txt'), '<p>part</p>', 'without a mark of HTML the name decides');
});

t.test('Markdown keeps its text, and headings outside of code are the outline', async (t) => {
  const markdown = '# One\n\ntext\n\n```\n# no heading\n```\n\nTwo\n---\n> # quoted\n';
  t.same(await read(markdown, 'a.md'), {
    pages: [markdown.trimEnd()],
    outline: [
      { title: 'One', page: 1 },
      { title: 'Two', page: 1 },
    ],
    is_cut: false,
  });
  t.same(((await read(markdown, 'a.txt')) as DocumentText).outline, []);
});

t.test('plain text is read in UTF-8, UTF-16 with a mark and windows-1252', async (t) => {
  t.equal(await text('Grüße, 世界\r\n'), 'Grüße, 世界');
  t.equal(await text(Buffer.from('\ufeffGrüße', 'utf16le')), 'Grüße');
  t.equal(await text(Buffer.from('\ufeffGrüße', 'utf16le').swap16()), 'Grüße');
  t.equal(await text(Buffer.from('Gr\xfc\xdfe \x80', 'latin1')), 'Grüße €');
  t.equal(await text('a,b\n"1","2"\n', 'table.csv'), 'a,b\n"1","2"');
  t.equal(await text(`${'text '.repeat(30)}a\u{E0041}\u{E0042}b\u0007`), `${'text '.repeat(30)}ab`, 'invisible characters are left out');
});

t.test('a text of more than five million characters is cut, and says so', async (t) => {
  const answer = (await read('0123456789\n'.repeat(500_000))) as DocumentText;
  t.equal(answer.is_cut, true);
  t.ok(answer.pages.reduce((sum, page) => sum + page.length, 0) <= 5_000_000);
});

t.test('the bytes decide about the kind, and kinds that are not read are named', async (t) => {
  const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex');
  const cases: readonly [bytes: Buffer | string, answer: string][] = [
    ['', 'empty'],
    [' \n ', 'no_text'],
    [Buffer.from('89504e470d0a1a0a', 'hex'), 'image'],
    ['RIFF\x00\x00\x00\x00WEBP', 'image'],
    ['{\\rtf1 text}', 'rtf'],
    [Buffer.concat([compound, Buffer.from('WordDocument', 'utf16le')]), 'old_office'],
    [Buffer.concat([compound, Buffer.from('EncryptedPackage', 'utf16le')]), 'encrypted'],
    [Buffer.from([1, 2, 3, 0, 5]), 'unknown'],
    [await zip({ 'a.txt': 'text' }), 'archive'],
    [
      await zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>', 'META-INF/manifest.xml': '<x/>' }),
      'open_document',
    ],
    [await zip({ '_rels/.rels': links({ type: 'officeDocument', target: 'a.xml' }), 'a.xml': '<other/>' }), 'unknown'],
    [
      await zip({ '_rels/.rels': links({ type: 'officeDocument', target: 'xl/workbook.bin' }), 'xl/workbook.bin': '\x83\x01' }),
      'binary_workbook',
    ],
  ];
  for (const [bytes, answer] of cases) t.equal(await read(bytes, 'report.pdf'), answer);
  t.equal(await text(pdf({ pages: [shows('A PDF')] }), 'table.xlsx'), 'A PDF', 'its name may say anything');
});

t.test('a file that is two kinds at once is read as the one that its beginning names', async (t) => {
  const portable = pdf({ pages: [shows('portable')] });
  const letter = await docx(paragraph('letter'));
  t.equal(await text(Buffer.concat([portable, letter])), 'portable');
  t.equal(await text(Buffer.concat([Buffer.from('<html><body>hypertext<!--'), portable])), 'hypertext');
  t.equal(await text(Buffer.concat([letter, portable])), 'letter');
});

t.test('macros and embedded files are not read', async (t) => {
  const parts = { 'word/vbaProject.bin': 'Sub AutoOpen()', 'word/embeddings/a.docx': await docx(paragraph('embedded')) };
  t.equal(await text(await docx(paragraph('letter'), parts)), 'letter');
});

t.test('document types in Office parts, entities that grow, and parts that unpack to much are refused', async (t) => {
  const row = '<row><c t="str"><v>&amp;x;&x;</v></c></row>';
  const reads = '<!DOCTYPE x [<!ENTITY x SYSTEM "file:///etc/passwd">]>';
  const grows = `<!DOCTYPE x [<!ENTITY x "${'ha'.repeat(1_000)}">]>`;
  for (const prologue of [reads, grows, '']) t.equal(await read(await xlsx({ sheets: [{ name: 'S', rows: row }], prologue })), 'damaged');
  t.equal(await read(await docx(`${paragraph('&x;')}`, {})), 'damaged');
  const bomb = await xlsx({ sheets: [{ name: 'S', rows: ' '.repeat(12_000_000) }] });
  t.equal(await read(bomb), 'too_large');
  const claims = await zip({ part: '' });
  claims.writeUInt16LE(10_001, claims.length - 12);
  t.equal(await read(claims), 'too_large', 'it claims more than 10,000 parts');
});

t.test('links that leave the document lead nowhere, however they are written', async (t) => {
  const main = '<workbook xmlns:r="r"><sheets><sheet name="S" r:id="r1"/></sheets></workbook>';
  for (const target of ['../../../../etc/passwd', 'file:///etc/passwd', 'http://127.0.0.1:1/sheet.xml', '/etc/passwd']) {
    const bytes = await zip({
      '_rels/.rels': links({ type: 'officeDocument', target: 'xl/workbook.xml' }),
      'xl/workbook.xml': main,
      'xl/_rels/workbook.xml.rels': links({ type: 'worksheet', target }),
    });
    t.equal(await text(bytes), 'S', target);
  }
});
