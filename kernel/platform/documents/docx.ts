import mammoth from 'mammoth';
import { addHtml } from './html.js';
import type { Pages } from './pages.js';

/** Reads a text document: its headings, paragraphs, lists, tables and notes. */
export async function readDocx(bytes: Buffer, pages: Pages): Promise<void> {
  const { value } = await mammoth.convertToHtml(
    { buffer: bytes },
    {
      styleMap: ["p[style-name='Title'] => h1:fresh"],
      // Otherwise each picture would become text.
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
      externalFileAccess: false,
    },
  );
  addHtml(value, pages);
}
