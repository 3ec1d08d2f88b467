import { Refusal, type RefusalCode } from './refusal.js';

export type Kind = 'pdf' | 'office' | 'html' | 'markdown' | 'text';

/** Kinds of text that have no mark of their own. */
export const textHints = ['markdown', 'html', 'text'] as const;
export type TextHint = (typeof textHints)[number];

/** Beginnings of files that are not read, and why. */
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
  ['{\\rtf', 'rtf'],
];
const compound = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';
/** Name of the stream that holds an encrypted Office document within a compound file. */
const encryptedPackage = Buffer.from('EncryptedPackage', 'utf16le');
const webp = /^RIFF.{4}WEBP/s;
const html = /^(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<(?:!doctype\s+html|html|head|body)\b/i;
const comment = /<!--.*?-->\s*/gs;
/** Bytes before which a PDF begins (ISO 32000-1, annex H). */
const pdf_bytes = 1_024;
const sniffed_bytes = 4_096;

/** Returns the hint that a name and a media type give. It counts for text alone. */
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
  if (start.startsWith(compound)) throw new Refusal(bytes.includes(encryptedPackage) ? 'encrypted' : 'old_office');
  const code = refused.find(([beginning]) => start.startsWith(beginning))?.[1];
  if (code !== undefined || webp.test(start)) throw new Refusal(code ?? 'image');
  if (html.test(start.replace(comment, ''))) return 'html';
  return start.slice(0, pdf_bytes).includes('%PDF-') ? 'pdf' : hint;
}
