import type { DocumentText } from '../../../../kernel/contract/documents.js';
import { hintOf } from '../../../../kernel/platform/documents/kind.js';
import { Pages } from '../../../../kernel/platform/documents/pages.js';
import { readPages } from '../../../../kernel/platform/documents/read.js';
import { Refusal } from '../../../../kernel/platform/documents/refusal.js';

/** Reads a document in this process. Returns its text, or the code of the refusal. */
export async function read(bytes: Buffer | string, name = 'document'): Promise<DocumentText | string> {
  const written: string[] = [];
  const pages = new Pages((page) => written.push(page));
  try {
    const is_cut = await readPages(Buffer.from(bytes), hintOf(name, ''), pages);
    return { pages: written, outline: pages.outline, is_cut };
  } catch (fault) {
    if (fault instanceof Refusal) return fault.code;
    throw fault;
  }
}

/** Reads a document in this process. Returns its pages, joined by form feeds, or `refused: ` and the code. */
export async function text(bytes: Buffer | string, name?: string): Promise<string> {
  const answer = await read(bytes, name);
  return typeof answer === 'string' ? `refused: ${answer}` : answer.pages.join('\f');
}
