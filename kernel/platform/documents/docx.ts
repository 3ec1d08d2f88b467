import mammoth from 'mammoth';
import { addHtml } from './html.js';
import type { OfficePackage } from './office-package.js';
import type { Pages } from './pages.js';
import { Refusal } from './refusal.js';
import { encodingOf } from './xml.js';

/** Reads a text document: its headings, paragraphs, lists, tables, notes and comments. Text that was deleted with a trace is left out. */
export async function readDocx(office: OfficePackage, pages: Pages): Promise<void> {
  const { value } = await mammoth.convertToHtml(inputOf(office), {
    styleMap: ["p[style-name='Title'] => h1:fresh", 'comment-reference => sup'],
    // A document could leave out its own paragraphs by such a map.
    includeEmbeddedStyleMap: false,
    // Otherwise each picture would become text.
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    externalFileAccess: false,
  });
  addHtml(value, pages);
}

/** Lets mammoth read parts within the limits of the package. Given bytes, it would unpack them without any. */
function inputOf(office: OfficePackage): { buffer: Buffer } {
  const file = {
    exists: (path: string) => office.has(path),
    async read(path: string): Promise<string> {
      const bytes = (await office.read(path)) ?? Buffer.alloc(0);
      const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
      if (/<!DOCTYPE/i.test(text)) throw new Refusal('damaged');
      // It skips such fields with their text, but reads these tags.
      return text.replace(/<(\/?)w:fldSimple\b/g, '<$1w:smartTag');
    },
  };
  // Its types don't name the input that its own tests use.
  return { file } as unknown as { buffer: Buffer };
}
