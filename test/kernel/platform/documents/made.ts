import { ZipFile } from 'yazl';

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const namespaces =
  `xmlns:r="${relations}" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
  'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"';

/** Packs parts into a ZIP. */
export async function zip(parts: Readonly<Record<string, string | Buffer>>): Promise<Buffer> {
  const file = new ZipFile();
  for (const [name, content] of Object.entries(parts)) file.addBuffer(Buffer.from(content), name);
  file.end();
  const pieces: Buffer[] = [];
  for await (const piece of file.outputStream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

interface Link {
  type: string;
  target: string;
  external?: boolean;
}

/** Makes the part that lists relationships; their ids are `r1`, `r2`, …. */
export function links(...all: readonly Link[]): string {
  const items = all.map(
    ({ type, target, external }, index) =>
      `<Relationship Id="r${index + 1}" Type="${relations}/${type}" Target="${target}"${external ? ' TargetMode="External"' : ''}/>`,
  );
  return `${declaration}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${items.join('')}</Relationships>`;
}

/** Makes a text document of the content of its body. */
export function docx(body: string, parts: Readonly<Record<string, string | Buffer>> = {}): Promise<Buffer> {
  return zip({
    '[Content_Types].xml':
      `${declaration}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
      '<Default Extension="xml" ContentType="application/xml"/></Types>',
    '_rels/.rels': links({ type: 'officeDocument', target: 'word/document.xml' }),
    'word/document.xml': `${declaration}<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" ${namespaces}><w:body>${body}</w:body></w:document>`,
    'word/styles.xml':
      `${declaration}<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">` +
      '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style></w:styles>',
    'word/_rels/document.xml.rels': links({ type: 'styles', target: 'styles.xml' }),
    ...parts,
  });
}

export function paragraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}

export interface WorkbookParts {
  /** Name and rows of each sheet, as XML. */
  sheets: readonly { name: string; rows: string }[];
  shared?: string;
  styles?: string;
  /** Beginning of each part, such as a document type. */
  prologue?: string;
  parts?: Readonly<Record<string, string | Buffer>>;
}

/** Makes a workbook. */
export function xlsx({ sheets, shared = '', styles = '', prologue = '', parts = {} }: WorkbookParts): Promise<Buffer> {
  const list = sheets.map(({ name }, index) => `<sheet name="${name}" sheetId="${index + 1}" r:id="r${index + 1}"/>`);
  const files = sheets.map(({ rows }, index) => [
    `xl/worksheets/sheet${index + 1}.xml`,
    `${declaration}${prologue}<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  ]);
  return zip({
    '_rels/.rels': links({ type: 'officeDocument', target: '/xl/workbook.xml' }),
    'xl/workbook.xml': `${declaration}<workbook ${namespaces}><sheets>${list.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': links(
      ...sheets.map((_, index) => ({ type: 'worksheet', target: `worksheets/sheet${index + 1}.xml` })),
      { type: 'sharedStrings', target: 'sharedStrings.xml' },
      { type: 'styles', target: 'styles.xml' },
    ),
    'xl/sharedStrings.xml': `${declaration}<sst>${shared}</sst>`,
    'xl/styles.xml': `${declaration}<styleSheet>${styles}</styleSheet>`,
    ...Object.fromEntries(files),
    ...parts,
  });
}

/** Makes a presentation of the shapes of each slide, and its notes. */
export function pptx(slides: readonly { shapes: string; notes?: string }[]): Promise<Buffer> {
  const ids = slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="r${index + 1}"/>`);
  const files = slides.flatMap(({ shapes, notes }, index): [string, string][] => [
    [`ppt/slides/slide${index + 1}.xml`, `${declaration}<p:sld ${namespaces}>${shapes}</p:sld>`],
    ...(notes === undefined
      ? []
      : ([
          [`ppt/slides/_rels/slide${index + 1}.xml.rels`, links({ type: 'notesSlide', target: `../notesSlides/notes${index + 1}.xml` })],
          [`ppt/notesSlides/notes${index + 1}.xml`, `${declaration}<p:notes ${namespaces}>${notes}</p:notes>`],
        ] as [string, string][])),
  ]);
  return zip({
    '_rels/.rels': links({ type: 'officeDocument', target: 'ppt/presentation.xml' }),
    'ppt/presentation.xml': `${declaration}<p:presentation ${namespaces}><p:sldIdLst>${ids.join('')}</p:sldIdLst></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': links(...slides.map((_, index) => ({ type: 'slide', target: `slides/slide${index + 1}.xml` }))),
    ...Object.fromEntries(files),
  });
}

/** Makes a shape with a placeholder of a kind and paragraphs. */
export function shape(kind: string, ...paragraphs: readonly string[]): string {
  const text = paragraphs.map((line) => `<a:p><a:r><a:t>${line}</a:t></a:r></a:p>`).join('');
  return `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${kind}"/></p:nvPr></p:nvSpPr><p:txBody>${text}</p:txBody></p:sp>`;
}

export interface PdfParts {
  /** Operators of text, the content of each page. */
  pages: readonly string[];
  /** Titles of bookmarks, each to the page of its place. */
  bookmarks?: readonly string[];
  /** The font: Helvetica, or a Chinese one that is not embedded. */
  font?: 'latin' | 'chinese';
  encrypted?: boolean;
  /** Value of a form's field `Name` on each page. */
  field?: string;
  /** More entries of the catalog. */
  catalog?: string;
}

const fonts = {
  latin: ['<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>'],
  chinese: [
    '<</Type/Font/Subtype/Type0/BaseFont/SimSun/Encoding/UniGB-UCS2-H/DescendantFonts[4 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType2/BaseFont/SimSun/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000' +
      '/FontDescriptor<</Type/FontDescriptor/FontName/SimSun/Flags 4/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80' +
      '/FontBBox[0 -200 1000 800]>>>>',
  ],
};

/** Makes a PDF without compression. */
export function pdf({ pages, bookmarks = [], font = 'latin', encrypted = false, field, catalog = '' }: PdfParts): Buffer {
  const first = 5;
  const page = (index: number) => first + index * 2;
  const outlines = first + pages.length * 2;
  const annotations = field === undefined ? '' : `/Annots[<</Type/Annot/Subtype/Widget/FT/Tx/T(Name)/V(${field})/Rect[0 0 99 20]>>]`;
  const objects = new Map<number, string>();
  objects.set(1, `<</Type/Catalog/Pages 2 0 R${bookmarks.length > 0 ? `/Outlines ${outlines} 0 R` : ''}${catalog}>>`);
  objects.set(2, `<</Type/Pages/Count ${pages.length}/Kids[${pages.map((_, index) => `${page(index)} 0 R`).join(' ')}]>>`);
  for (const [index, text] of fonts[font].entries()) objects.set(3 + index, text);
  for (const [index, content] of pages.entries()) {
    objects.set(
      page(index),
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 3 0 R>>>>/Contents ${page(index) + 1} 0 R${annotations}>>`,
    );
    objects.set(page(index) + 1, `<</Length ${Buffer.byteLength(content, 'latin1')}>>\nstream\n${content}\nendstream`);
  }
  if (bookmarks.length > 0) {
    const at = (index: number) => outlines + 1 + index;
    objects.set(outlines, `<</Type/Outlines/First ${at(0)} 0 R/Last ${at(bookmarks.length - 1)} 0 R/Count ${bookmarks.length}>>`);
    for (const [index, title] of bookmarks.entries()) {
      const next = index + 1 < bookmarks.length ? `/Next ${at(index + 1)} 0 R` : '';
      objects.set(at(index), `<</Title(${title})/Parent ${outlines} 0 R/Dest[${page(index)} 0 R/Fit]${next}>>`);
    }
  }
  const unknown = 'ab'.repeat(32);
  const more = encrypted ? `/Encrypt<</Filter/Standard/V 1/R 2/P -4/O<${unknown}>/U<${unknown}>>>/ID[<00><00>]` : '';
  return assembled(objects, more);
}

/** Puts objects into a file with a table of their places. */
function assembled(objects: ReadonlyMap<number, string>, trailer: string): Buffer {
  let text = '%PDF-1.7\n';
  const size = Math.max(...objects.keys()) + 1;
  const places = new Map<number, number>();
  for (const [number, content] of objects) {
    places.set(number, text.length);
    text += `${number} 0 obj\n${content}\nendobj\n`;
  }
  const start = text.length;
  const rows = Array.from({ length: size }, (_, number) => {
    const place = places.get(number);
    return place === undefined ? '0000000000 65535 f \n' : `${`${place}`.padStart(10, '0')} 00000 n \n`;
  });
  text += `xref\n0 ${size}\n${rows.join('')}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}

/** Operators that show lines of Latin text. */
export function shows(...lines: readonly string[]): string {
  return `BT /F 12 Tf 72 720 Td ${lines.map((line) => `(${line}) Tj 0 -14 Td`).join(' ')} ET`;
}
