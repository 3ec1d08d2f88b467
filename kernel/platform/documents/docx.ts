import mammoth from 'mammoth';
import { addHtml } from './html.js';
import type { OfficePackage } from './office-package.js';
import type { Pages } from './pages.js';
import { Refusal } from './refusal.js';
import { encodingOf } from './xml.js';

/** Matches tags that mammoth skips together with their text. */
const skipped = /<(\/?)w:(?:fldSimple|ruby|rubyBase)\b/g;
/** Matches tags whose text repeats how another text is pronounced. */
const pronunciation = /<(\/?)w:(?:rubyPr|rt)\b/g;
/** Matches attributes that number the sessions of editing. They would cost memory and have no text. */
const revisions = / w:rsid\w*="[^"]*"/g;

/**
 * Reads a text document: its headings, paragraphs, lists, tables, notes and comments, then headers and footers. Text that was deleted with a
 * trace is left out.
 */
export async function readDocx(office: OfficePackage, main: string, pages: Pages): Promise<void> {
  const { value } = await mammoth.convertToHtml(inputOf(office), {
    styleMap: ["p[style-name='Title'] => h1:fresh", 'comment-reference => sup'],
    // A document could leave out its own paragraphs by such a map.
    includeEmbeddedStyleMap: false,
    // Otherwise each picture would become text.
    convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    externalFileAccess: false,
  });
  addHtml(value, pages);
  for (const line of await headersAndFootersOf(office, main)) pages.add(line);
}

/** Returns the lines of all headers and footers, each once. */
async function headersAndFootersOf(office: OfficePackage, main: string): Promise<ReadonlySet<string>> {
  const lines = new Set<string>();
  for (const { type, target } of (await office.relationships(main)).values()) {
    if (type !== 'header' && type !== 'footer') continue;
    const label = type === 'header' ? 'Header' : 'Footer';
    let text = '';
    let isText = false;
    await office.parse(target, {
      open(name) {
        isText = name === 't';
        if (name === 'tab') text += '\t';
      },
      text(piece) {
        if (isText) text += piece;
      },
      close(name) {
        isText = false;
        if (name !== 'p') return;
        if (text.trim() !== '') lines.add(`${label}: ${text.trim()}`);
        text = '';
      },
    });
  }
  return lines;
}

/** Lets mammoth read parts within the limits of the package. Given bytes, it would unpack them without any. */
function inputOf(office: OfficePackage): { buffer: Buffer } {
  const file = {
    exists: (path: string) => office.has(path),
    async read(path: string): Promise<string> {
      const bytes = (await office.read(path)) ?? Buffer.alloc(0);
      const text = new TextDecoder(encodingOf(bytes)).decode(bytes);
      if (/<!DOCTYPE/i.test(text)) throw new Refusal('damaged');
      return text.replace(skipped, '<$1w:smartTag').replace(pronunciation, '<$1w:del').replace(revisions, '');
    },
  };
  // Its types don't name the input that its own tests use.
  return { file } as unknown as { buffer: Buffer };
}
