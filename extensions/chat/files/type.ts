import { extname } from 'node:path';
import { imageTypeOf, max_pixels } from '../images/type.js';

/** Types by the ending of a name. */
const typesByEnding: Readonly<Record<string, string>> = {
  '.7z': 'application/x-7z-compressed',
  '.csv': 'text/csv',
  '.doc': 'application/msword',
  '.docm': 'application/vnd.ms-word.document.macroenabled.12',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.eml': 'message/rfc822',
  '.epub': 'application/epub+zip',
  '.gz': 'application/gzip',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.odp': 'application/vnd.oasis.opendocument.presentation',
  '.ods': 'application/vnd.oasis.opendocument.spreadsheet',
  '.odt': 'application/vnd.oasis.opendocument.text',
  '.pdf': 'application/pdf',
  '.ppt': 'application/vnd.ms-powerpoint',
  '.pptx': 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  '.rtf': 'application/rtf',
  '.svg': 'image/svg+xml',
  '.tar': 'application/x-tar',
  '.tsv': 'text/tab-separated-values',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.xls': 'application/vnd.ms-excel',
  '.xlsm': 'application/vnd.ms-excel.sheet.macroenabled.12',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
};

/** Matches types that have no text. Others are tried, because the ending of a name is only a hint. */
const withoutText = /^(?:image|audio|video)\/|^application\/(?:gzip|x-7z-compressed|x-tar|zip)$/;

/** Types that browsers may show, because they run nothing. Only the bytes of a file give it such a type, never its name. */
const shownTypes: readonly string[] = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'];

/** Returns the type of a file: images by their bytes, others by the ending of their name, which is only a hint. */
export function fileTypeOf(bytes: Buffer, name: string): string {
  return shownTypeOf(bytes) ?? typesByEnding[extname(name).toLowerCase()] ?? 'application/octet-stream';
}

/** Returns whether a browser may show files of this type. */
export function isShown(mime_type: string): boolean {
  return shownTypes.includes(mime_type);
}

/** Returns whether it is worth reading a file of this type for its text. */
export function mayHaveText(mime_type: string): boolean {
  return !withoutText.test(mime_type);
}

function shownTypeOf(bytes: Buffer): string | undefined {
  if (isAvif(bytes)) return 'image/avif';
  const image = imageTypeOf(bytes);
  return image && image.width * image.height <= max_pixels ? image.mime_type : undefined;
}

/** Returns whether bytes are AVIF, an ISO base media file: its first box lists the brands. */
function isAvif(bytes: Buffer): boolean {
  if (bytes.length < 16 || bytes.toString('latin1', 4, 8) !== 'ftyp') return false;
  const brands = bytes.toString('latin1', 8, Math.min(bytes.readUInt32BE(0), bytes.length, 256));
  return /^(?:.{4})*?avi[fs]/s.test(brands);
}
