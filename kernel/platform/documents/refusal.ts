import { memory_mb, reading_limit_ms } from './limits.js';

/** Reasons why a document has no text. A process answers with the code alone, so that a hostile document can't write the sentence. */
export const reasons = {
  empty: 'The document is empty: save it again in its program, and send that file',
  encrypted: 'The document is encrypted: remove its password first',
  protected: 'The document is protected by a certificate or by rights that a program manages: remove the protection first',
  no_text: 'The document has no text and may be scanned: recognise its text (OCR) first, or send its pages as images',
  portfolio: 'The document is a collection of other files, which are not read: send the files in it',
  damaged: 'The document is damaged: open it in its program and save it again',
  too_large: 'The document has too many parts, or unpacks to too many bytes: split it into smaller ones',
  too_slow: `The document could not be read within ${reading_limit_ms / 1000} s: split it into smaller ones`,
  too_complex: `The document needs more than ${memory_mb} MB of memory to be read: split it into smaller ones`,
  old_office: 'The document has the format of Office before 2007: save it as DOCX, XLSX or PPTX',
  binary_workbook: 'The document is a binary workbook (XLSB), which is not read: save it as XLSX',
  mail: 'The document is a mail of Outlook, which is not read: save it as PDF or plain text',
  iwork: 'The document is a file of Pages, Numbers or Keynote, which is not read: export it as PDF, DOCX, XLSX or PPTX',
  open_document: 'The document is an OpenDocument file, which is not read: save it as DOCX, XLSX, PPTX or PDF',
  book: 'The document is an e-book, which is not read: save it as PDF, HTML or plain text',
  rtf: 'The document is an RTF file, which is not read: save it as DOCX or PDF',
  image: 'The document is an image and has no text: send it as a PNG, JPEG, GIF or WebP image to a model that sees images',
  recording: 'The document is a recording of sound or video and has no text: send a transcript of it',
  archive: 'The document is an archive, which is not read: send the files in it',
  unknown: 'The document has a format that is not read: save it as PDF, DOCX, XLSX, PPTX, HTML, Markdown, CSV or plain text',
} as const;

export type RefusalCode = keyof typeof reasons;

export function isRefusalCode(value: unknown): value is RefusalCode {
  return typeof value === 'string' && Object.hasOwn(reasons, value);
}

/** Thrown by a reader: the document has no text, for a reason that is known. */
export class Refusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode) {
    super(reasons[code]);
    this.code = code;
  }
}
