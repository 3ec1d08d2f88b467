import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { max_headings } from './limits.js';
import type { Pages } from './pages.js';
import { Refusal } from './refusal.js';

/** Pages in a row that can't be read, after which reading ends: the page tree may name a billion of them. */
const max_failures = 100;

/**
 * Reads a PDF, page by page. Its scripts, attachments and links are ignored. Fonts of other scripts need the package's own tables of
 * characters, which are files beside it.
 *
 * @throws `encrypted`, `damaged`
 */
export async function readPdf(bytes: Buffer, pages: Pages): Promise<void> {
  const document = await opened(bytes);
  await readOutline(document, pages);
  let failures = 0;
  let readable = 0;
  for (let number = 1; number <= document.numPages && failures < max_failures; number += 1) {
    const text = await textOf(document, number);
    failures = text === undefined ? failures + 1 : 0;
    readable += text === undefined ? 0 : 1;
    pages.whole(text ?? '');
  }
  if (readable === 0) throw new Refusal('damaged');
}

async function opened(bytes: Buffer): Promise<PDFDocumentProxy> {
  defineDrawingClasses();
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  try {
    return await getDocument({
      data: new Uint8Array(bytes),
      cMapUrl: join(folder, 'cmaps/'),
      cMapPacked: true,
      standardFontDataUrl: join(folder, 'standard_fonts/'),
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      useWasm: false,
      enableXfa: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      stopAtErrors: false,
      maxImageSize: 1,
      verbosity: 0,
    }).promise;
  } catch (fault) {
    throw new Refusal(fault instanceof Error && fault.name === 'PasswordException' ? 'encrypted' : 'damaged');
  }
}

/** Defines the classes that the package needs to load, but not to read text. */
function defineDrawingClasses(): void {
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) Object.assign(globalThis, { [name]: class {} });
}

/** Returns the text of a page in reading order; undefined if the page can't be read. */
async function textOf(document: PDFDocumentProxy, number: number): Promise<string | undefined> {
  try {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
    const fields = fieldsOf((await page.getAnnotations()) as readonly Field[]);
    page.cleanup();
    return [text, ...fields].join('\n');
  } catch {
    return undefined;
  }
}

interface Field {
  fieldName?: unknown;
  fieldValue?: unknown;
}

/** Returns what people have filled into a form, which is no text of the page: a line for each field. */
function fieldsOf(annotations: readonly Field[]): string[] {
  return annotations.flatMap(({ fieldName, fieldValue }) => {
    const isFilled = typeof fieldName === 'string' && typeof fieldValue === 'string' && fieldValue.trim() !== '';
    return isFilled ? [`${fieldName}: ${fieldValue}`] : [];
  });
}

type Outline = NonNullable<Awaited<ReturnType<PDFDocumentProxy['getOutline']>>>;

/** Notes the headings in the order of the document. An entry whose page is unknown is left out. */
async function readOutline(document: PDFDocumentProxy, pages: Pages): Promise<void> {
  const open: Outline = [...((await document.getOutline().catch(() => null)) ?? [])].reverse();
  let visited = 0;
  for (let entry = open.pop(); entry !== undefined && visited < max_headings; entry = open.pop()) {
    visited += 1;
    const page = await pageOf(document, entry.dest);
    if (page !== undefined) pages.entry(entry.title, page);
    open.push(...[...entry.items].reverse());
  }
}

async function pageOf(document: PDFDocumentProxy, destination: string | unknown[] | null): Promise<number | undefined> {
  try {
    const [target] = (typeof destination === 'string' ? await document.getDestination(destination) : destination) ?? [];
    if (typeof target === 'number') return target < document.numPages ? target + 1 : undefined;
    return target ? (await document.getPageIndex(target as never)) + 1 : undefined;
  } catch {
    return undefined;
  }
}
