import { deflateSync } from 'node:zlib';

/** A stream: its bytes, and the entries of its dictionary except for its length. */
export interface PdfStream {
  data: string | Buffer;
  entries?: string;
}

/** Objects by their numbers. 1 is the catalog, 2 the page tree. */
export type PdfObjects = Readonly<Record<number, string | PdfStream>>;

export interface PageParts {
  /** The font `F`. */
  font?: string;
  /** More entries of the catalog, the page, and the page's resources. */
  catalog?: string;
  page?: string;
  resources?: string;
  /** More objects, from 6 on. */
  objects?: PdfObjects;
}

const helvetica = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>';

/** Makes the objects of a document of one page. */
export function onePage(content: string | PdfStream, parts: PageParts = {}): PdfObjects {
  const { font = helvetica, catalog = '', page = '', resources = '', objects = {} } = parts;
  return {
    1: `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    2: '<</Type/Pages/Count 1/Kids[3 0 R]>>',
    3: `<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F 5 0 R>>${resources}>>/Contents 4 0 R${page}>>`,
    4: typeof content === 'string' ? { data: content } : content,
    5: font,
    ...objects,
  };
}

/** Compresses a stream. */
export function deflated(data: string | Buffer, entries = ''): PdfStream {
  return { data: deflateSync(bytesOf(data)), entries: `/Filter/FlateDecode${entries}` };
}

export interface FileParts {
  header?: string;
  /** More entries of the trailer. */
  trailer?: string;
  /** Place of the table that the end of the file names, if it is wrong. */
  start?: number;
}

/** Writes objects into a file with a table of their places. */
export function pdfFile(objects: PdfObjects, { header = '%PDF-1.7\n', trailer = '', start }: FileParts = {}): Buffer {
  const body = bodyOf(objects, header.length);
  const size = sizeOf(body.places);
  const rows = Array.from({ length: size }, (_, number) => rowOf(body.places.get(number)));
  const place = header.length + body.bytes.length;
  const end = `xref\n0 ${size}\n${rows.join('')}trailer\n<</Size ${size}/Root 1 0 R${trailer}>>\nstartxref\n${start ?? place}\n%%EOF\n`;
  return Buffer.concat([bytesOf(header), body.bytes, bytesOf(end)]);
}

/** Appends changed objects to a file, as programs do that save only changes (ISO 32000-1, 7.5.6). */
export function updatedPdf(file: Buffer, objects: PdfObjects): Buffer {
  const body = bodyOf(objects, file.length);
  const [, previous] = /startxref\n(\d+)/.exec(file.toString('latin1')) ?? [];
  const rows = [...body.places].map(([number, place]) => `${number} 1\n${rowOf(place)}`);
  const size = sizeOf(body.places);
  const place = file.length + body.bytes.length;
  const end = `xref\n${rows.join('')}trailer\n<</Size ${size}/Root 1 0 R/Prev ${previous}>>\nstartxref\n${place}\n%%EOF\n`;
  return Buffer.concat([file, body.bytes, bytesOf(end)]);
}

/** Packs the objects that are no streams into one stream, with a stream in place of the table (ISO 32000-1, 7.5.7 and 7.5.8). */
export function packedPdf(objects: PdfObjects): Buffer {
  const all = Object.entries(objects).map(([number, object]) => [Number(number), object] as const);
  const plain = all.filter((entry): entry is readonly [number, string] => typeof entry[1] === 'string');
  const next = Math.max(...all.map(([number]) => number)) + 1;
  const offsets = plain.map((_, index) => plain.slice(0, index).reduce((sum, [, text]) => sum + text.length + 1, 0));
  const index = plain.map(([number], at) => `${number} ${offsets[at]}`).join(' ');
  const packed = deflated(
    `${index} ${plain.map(([, text]) => text).join(' ')}`,
    `/Type/ObjStm/N ${plain.length}/First ${index.length + 1}`,
  );
  const streams = all.filter(([, object]) => typeof object !== 'string');
  const header = '%PDF-1.5\n';
  const body = bodyOf({ ...Object.fromEntries(streams), [next]: packed }, header.length);
  const rows = Array.from({ length: next + 2 }, (_, number) => {
    const at = plain.findIndex(([own]) => own === number);
    if (at !== -1) return packedRow(2, next, at);
    const place = number === next + 1 ? header.length + body.bytes.length : body.places.get(number);
    return place === undefined ? packedRow(0, 0, 0) : packedRow(1, place, 0);
  });
  const table = deflated(Buffer.concat(rows), `/Type/XRef/W[1 4 2]/Size ${next + 2}/Root 1 0 R`);
  const place = header.length + body.bytes.length;
  return Buffer.concat([bytesOf(header), body.bytes, bodyOf({ [next + 1]: table }, 0).bytes, bytesOf(`startxref\n${place}\n%%EOF\n`)]);
}

/** Operators that show text in hexadecimal, the codes of a font. */
export function codes(hexadecimal: string): string {
  return `BT /F 12 Tf 72 720 Td <${hexadecimal}> Tj ET`;
}

/** A table from the codes of a font to characters (ISO 32000-1, 9.10.3). */
export function toUnicode(pairs: Readonly<Record<string, string>>, width = 2): PdfStream {
  const last = 'F'.repeat(2 * width);
  const rows = Object.entries(pairs).map(([code, text]) => `<${code}> <${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`);
  return {
    data:
      '/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n' +
      `1 begincodespacerange <${'0'.repeat(2 * width)}> <${last}> endcodespacerange\n` +
      `${rows.length} beginbfchar\n${rows.join('\n')}\nendbfchar\nendcmap end end`,
  };
}

/** A font of Asian characters that is not embedded. */
export function asianFont(encoding: string, ordering: string, name: string): string {
  return (
    `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/${encoding}/DescendantFonts[<</Type/Font/Subtype/CIDFontType2/BaseFont/${name}` +
    `/CIDSystemInfo<</Registry(Adobe)/Ordering(${ordering})/Supplement 2>>/DW 1000/FontDescriptor<</Type/FontDescriptor/FontName/${name}` +
    '/Flags 4/ItalicAngle 0/Ascent 800/Descent -200/CapHeight 700/StemV 80/FontBBox[0 -200 1000 800]>>>>]>>'
  );
}

function bodyOf(objects: PdfObjects, offset: number): { bytes: Buffer; places: ReadonlyMap<number, number> } {
  const places = new Map<number, number>();
  const pieces: Buffer[] = [];
  let length = offset;
  for (const [number, object] of Object.entries(objects)) {
    const piece = Buffer.concat([bytesOf(`${number} 0 obj\n`), contentOf(object), bytesOf('\nendobj\n')]);
    places.set(Number(number), length);
    pieces.push(piece);
    length += piece.length;
  }
  return { bytes: Buffer.concat(pieces), places };
}

function contentOf(object: string | PdfStream): Buffer {
  if (typeof object === 'string') return bytesOf(object);
  const data = bytesOf(object.data);
  return Buffer.concat([bytesOf(`<</Length ${data.length}${object.entries ?? ''}>>\nstream\n`), data, bytesOf('\nendstream')]);
}

/** Returns the number after the last one. */
function sizeOf(places: ReadonlyMap<number, number>): number {
  return ([...places.keys()].at(-1) ?? 0) + 1;
}

function rowOf(place: number | undefined): string {
  return place === undefined ? '0000000000 65535 f \n' : `${`${place}`.padStart(10, '0')} 00000 n \n`;
}

function packedRow(type: number, second: number, third: number): Buffer {
  const row = Buffer.alloc(7);
  row.writeUInt8(type, 0);
  row.writeUInt32BE(second, 1);
  row.writeUInt16BE(third, 5);
  return row;
}

export function bytesOf(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text, 'latin1') : text;
}
