import { Refusal, type RefusalCode } from './refusal.js';

export type Kind = 'pdf' | 'office' | 'html' | 'markdown' | 'text';

/** Kinds of text that have no mark of their own. */
export const textHints = ['markdown', 'html', 'text'] as const;
export type TextHint = (typeof textHints)[number];

/** Beginnings of files that are not read, and the reasons. */
const refused: readonly (readonly [beginning: string, code: RefusalCode])[] = [
  ['\x89PNG\r\n', 'image'],
  ['\xff\xd8\xff', 'image'],
  ['GIF8', 'image'],
  ['II*\x00', 'image'],
  ['MM\x00*', 'image'],
  ['\x1f\x8b', 'archive'],
  ['7z\xbc\xaf\x27\x1c', 'archive'],
  ['Rar!', 'archive'],
  ['BZh', 'archive'],
  ['\xfd7zXZ', 'archive'],
  ['\x28\xb5\x2f\xfd', 'archive'],
  ['PK\x05\x06', 'archive'],
  ['8BPS', 'image'],
  ['\0\0\0\x0cjP  ', 'image'],
  ['ID3\x03', 'recording'],
  ['ID3\x04', 'recording'],
  ['OggS', 'recording'],
  ['fLaC', 'recording'],
  ['\x1aE\xdf\xa3', 'recording'],
  ['{\\rtf', 'rtf'],
];
const compound = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
/**
 * Streams by which a compound file is recognised; the first match counts ([MS-OFFCRYPTO] 2.2, [MS-DOC], [MS-XLS], [MS-PPT], [MS-OXMSG]). Mails
 * and publications come first, because other documents may be embedded in them.
 */
const streams: readonly (readonly [name: Buffer, code: RefusalCode])[] = (
  [
    ['__properties_version1.0', 'mail'],
    ['Quill', 'unknown'],
    ['DRMEncryptedTransform', 'protected'],
    ['EncryptedPackage', 'encrypted'],
    ['WordDocument', 'old_office'],
    ['Workbook', 'old_office'],
    ['Book', 'old_office'],
    ['PowerPoint Document', 'old_office'],
  ] as const
).map(([name, code]) => [Buffer.from(name, 'utf16le'), code]);
const riff = /^RIFF.{4}(?:(WEBP)|WAVE|AVI )/s;
/** Matches the first box of an ISO base media file; the group matches the brands of pictures. */
const media = /^.{4}ftyp(hei[cxms]|he[vi]c|mif1|msf1|avi[fs])?/s;
/** Matches a TAR archive, whose mark is in the header of the first entry. */
const tar = /^.{257}ustar/s;
const html = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b/i;
const comment = /<!--.*?-->\s*/gs;
/** Bytes within which a PDF begins (ISO 32000-1, annex H). */
const pdf_bytes = 1_024;
const sniffed_bytes = 4_096;

/** Returns the kind of text that a name and a media type indicate. It counts only for bytes without a mark. */
export function hintOf(name: string, mime_type: string): TextHint {
  const type = mime_type.split(';', 1)[0]?.trim().toLowerCase();
  if (/\.(md|markdown)$/i.test(name) || type === 'text/markdown') return 'markdown';
  return /\.x?html?$/i.test(name) || type === 'text/html' || type === 'application/xhtml+xml' ? 'html' : 'text';
}

/**
 * Recognises a document by its bytes.
 *
 * @throws a {@link Refusal} if it is of a kind that is known but not read
 */
export function kindOf(bytes: Buffer, hint: TextHint): Kind {
  if (bytes.length === 0) throw new Refusal('empty');
  const start = bytes.toString('latin1', 0, sniffed_bytes);
  if (start.startsWith('PK\x03\x04')) return 'office';
  if (start.startsWith(compound)) throw new Refusal(streams.find(([name]) => bytes.includes(name))?.[1] ?? 'unknown');
  const code = refused.find(([beginning]) => start.startsWith(beginning))?.[1] ?? containerCode(start);
  if (code !== undefined) throw new Refusal(code);
  if (html.test(start.replace(comment, ''))) return 'html';
  return start.slice(0, pdf_bytes).includes('%PDF-') ? 'pdf' : hint;
}

/** Returns the reason why a container of pictures, sound, video or other files is not read. */
function containerCode(start: string): RefusalCode | undefined {
  const [, brand] = media.exec(start) ?? [undefined, ''];
  if (brand !== '') return brand === undefined ? 'recording' : 'image';
  const [whole, webp] = riff.exec(start) ?? [];
  if (whole !== undefined) return webp === undefined ? 'recording' : 'image';
  return tar.test(start) ? 'archive' : undefined;
}
