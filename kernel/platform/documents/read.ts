import { type Kind, kindOf, type TextHint } from './kind.js';
import { Full, type Pages } from './pages.js';
import { Refusal } from './refusal.js';

type Reader = (bytes: Buffer, pages: Pages) => void | Promise<void>;

/** Loads a reader, so that a process loads only the packages of one kind. */
const readers: Readonly<Record<Kind, () => Promise<Reader>>> = {
  pdf: async () => (await import('./pdf.js')).readPdf,
  office: async () => (await import('./office.js')).readOffice,
  html: async () => (await import('./html.js')).readHtml,
  markdown: async () => (await import('./markdown.js')).readMarkdown,
  text: async () => (await import('./plain-text.js')).readPlainText,
};

/**
 * Reads a document into pages. Returns whether it goes on after them.
 *
 * @throws a {@link Refusal}
 */
export async function readPages(bytes: Buffer, hint: TextHint, pages: Pages): Promise<boolean> {
  let is_cut = false;
  try {
    const read = await readers[kindOf(bytes, hint)]();
    await read(bytes, pages);
    pages.flush();
  } catch (fault) {
    if (!(fault instanceof Full)) throw fault instanceof Refusal ? fault : new Refusal('damaged');
    is_cut = true;
  }
  if (!pages.hasText) throw new Refusal('no_text');
  return is_cut;
}
