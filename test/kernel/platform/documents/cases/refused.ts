import { docx, paragraph, zip } from '../made.js';
import type { DocumentCase } from './case.js';

const bytes = (text: string) => Buffer.from(text, 'latin1');
/** A compound file with a stream of a name: the format of Office before 2007, and of others ([MS-CFB]). */
const compound = (stream: string) =>
  Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(504), Buffer.from(stream, 'utf16le')]);

/** Files of kinds that are not read, and why they are not. */
export const refused: readonly DocumentCase[] = [
  { name: 'an empty file', source: 'an upload that failed', make: () => '', answer: 'refused: empty' },
  {
    name: 'a letter of Word 97',
    source: '[MS-DOC] 2.1: WordDocument',
    make: () => compound('WordDocument'),
    answer: 'refused: old_office',
  },
  { name: 'a workbook of Excel 97', source: '[MS-XLS] 2.1: Workbook', make: () => compound('Workbook'), answer: 'refused: old_office' },
  { name: 'a workbook of Excel 5', source: 'Excel 5.0: Book', make: () => compound('Book'), answer: 'refused: old_office' },
  { name: 'slides of PowerPoint 97', source: '[MS-PPT] 2.1', make: () => compound('PowerPoint Document'), answer: 'refused: old_office' },
  {
    name: 'a letter of Word with a password',
    source: '[MS-OFFCRYPTO] 2.3.4',
    make: () => compound('EncryptedPackage'),
    answer: 'refused: encrypted',
  },
  {
    name: 'a letter of Word under rights management',
    source: '[MS-OFFCRYPTO] 2.2',
    make: () => compound('EncryptedPackage DRMEncryptedTransform'),
    answer: 'refused: protected',
  },
  {
    name: 'a mail of Outlook',
    source: '[MS-OXMSG] 2.1',
    make: () => compound('__properties_version1.0 WordDocument'),
    answer: 'refused: mail',
  },
  { name: 'rich text', source: 'Rich Text Format 1.9.1', make: () => '{\\rtf1\\ansi Text\\par}', answer: 'refused: rtf' },
  { name: 'a picture: PNG', source: 'ISO/IEC 15948', make: () => bytes('\x89PNG\r\n\x1a\n\0\0'), answer: 'refused: image' },
  { name: 'a picture: JPEG', source: 'ISO/IEC 10918', make: () => bytes('\xff\xd8\xff\xe0\0\x10JFIF'), answer: 'refused: image' },
  {
    name: 'a picture of a telephone: HEIC',
    source: 'ISO/IEC 23008-12',
    make: () => bytes('\0\0\0\x18ftypheic\0\0\0\0mif1'),
    answer: 'refused: image',
  },
  { name: 'a picture: TIFF', source: 'TIFF 6.0', make: () => bytes('II*\0\x08\0\0\0'), answer: 'refused: image' },
  { name: 'a picture: WebP', source: 'RFC 9649', make: () => bytes('RIFF\x10\0\0\0WEBPVP8 '), answer: 'refused: image' },
  { name: 'a film', source: 'ISO/IEC 14496-12', make: () => bytes('\0\0\0\x18ftypisom\0\0\0\0mp42'), answer: 'refused: recording' },
  { name: 'a recording: MP3', source: 'ID3v2.4', make: () => bytes('ID3\x04\0\0\0\0\0\x01'), answer: 'refused: recording' },
  { name: 'a recording: WAVE', source: 'RFC 2361', make: () => bytes('RIFF\x10\0\0\0WAVEfmt '), answer: 'refused: recording' },
  { name: 'an archive: ZIP', source: 'APPNOTE.TXT 6.3', make: () => zip({ 'a.txt': 'text' }), answer: 'refused: archive' },
  {
    name: 'an archive without files',
    source: 'APPNOTE.TXT 4.3.16',
    make: () => bytes(`PK\x05\x06${'\0'.repeat(18)}`),
    answer: 'refused: archive',
  },
  {
    name: 'an archive: TAR',
    source: 'POSIX.1-2017, pax',
    make: () => Buffer.concat([bytes('a.txt'), Buffer.alloc(252), bytes('ustar\x0000'), Buffer.alloc(247)]),
    answer: 'refused: archive',
  },
  { name: 'an archive: gzip', source: 'RFC 1952', make: () => bytes('\x1f\x8b\x08\0'), answer: 'refused: archive' },
  {
    name: 'an archive whose files are encrypted',
    source: 'APPNOTE.TXT 6.1',
    make: async () => {
      const file = await docx(paragraph('Letter'));
      for (let at = file.indexOf('PK\x01\x02'); at !== -1; at = file.indexOf('PK\x01\x02', at + 4)) file.writeUInt16LE(1, at + 8);
      return file;
    },
    answer: 'refused: encrypted',
  },
  {
    name: 'a document of OpenOffice',
    source: 'OASIS OpenDocument 1.3, part 2',
    make: () => zip({ mimetype: 'application/vnd.oasis.opendocument.text', 'content.xml': '<x/>', 'META-INF/manifest.xml': '<x/>' }),
    answer: 'refused: open_document',
  },
  {
    name: 'a book',
    source: 'EPUB 3.3',
    make: () => zip({ mimetype: 'application/epub+zip', 'META-INF/container.xml': '<container/>' }),
    answer: 'refused: book',
  },
  {
    name: 'a document of Pages',
    source: 'SheetJS/test_files: Attendance.numbers',
    make: () => zip({ 'Index/Document.iwa': Buffer.from('00', 'hex'), 'Metadata/Properties.plist': 'x' }),
    answer: 'refused: iwork',
  },
  {
    name: 'a drawing of Visio',
    source: '[MS-VSDX]; apache/tika: testVISIO.vsdx',
    make: () => zip({ '[Content_Types].xml': '<Types/>', 'visio/document.xml': '<VisioDocument/>' }),
    answer: 'refused: unknown',
  },
  {
    name: 'a program of Windows',
    source: 'PE format',
    make: () => bytes(`MZ\x90\0\x03\0\0\0${'\0'.repeat(56)}`),
    answer: 'refused: unknown',
  },
  { name: 'a program of Linux', source: 'ELF', make: () => bytes('\x7fELF\x02\x01\x01\0\0\0'), answer: 'refused: unknown' },
  { name: 'a database', source: 'SQLite database file format', make: () => bytes('SQLite format 3\0\x10\0'), answer: 'refused: unknown' },
  {
    name: 'bytes without a meaning',
    source: 'noise',
    make: () => Buffer.from(Array.from({ length: 4_096 }, (_, index) => (index * 7_919) & 255)),
    answer: 'refused: unknown',
  },
];
