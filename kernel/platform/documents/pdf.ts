import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist';
import { max_headings } from './limits.js';
import type { Pages } from './pages.js';
import { annotationLines } from './pdf-annotations.js';
import { type XfaNode, xfaLines } from './pdf-xfa.js';
import { Refusal } from './refusal.js';

/** Limit of unreadable pages in a row, because the page tree may name a billion of them. Reading ends there. */
const max_failures = 100;
/** Bytes before the type of a catalog that are searched for its number. */
const catalog_bytes = 500;
const clone = globalThis.structuredClone;

/**
 * Reads a PDF, page by page. Its scripts, attachments and links are ignored. Fonts of other scripts need the package's own tables of
 * characters, which are files beside it.
 *
 * @throws `encrypted`, `protected`, `portfolio`, `damaged`
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
    pages.addPage(text ?? '');
  }
  if (readable === 0) throw new Refusal('damaged');
  if (!pages.hasText && (await isPortfolio(document))) throw new Refusal('portfolio');
}

/** Opens a document. Tries a damaged one again: without its form, which may be the fault, and with a trailer in case it was cut off. */
async function opened(bytes: Buffer): Promise<PDFDocumentProxy> {
  defineDrawingClasses();
  Object.assign(globalThis, { structuredClone: cloneUnlessDeep });
  try {
    return await load(bytes, true);
  } catch (fault) {
    const code = codeOf(fault);
    if (code !== 'damaged') throw new Refusal(code);
  }
  try {
    return await load(withTrailer(bytes), false);
  } catch (fault) {
    throw new Refusal(codeOf(fault));
  }
}

async function load(bytes: Buffer, enableXfa: boolean): Promise<PDFDocumentProxy> {
  const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
  const folder = dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
  return getDocument({
    data: new Uint8Array(bytes),
    cMapUrl: join(folder, 'cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: join(folder, 'standard_fonts/'),
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    enableXfa,
    isEvalSupported: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    stopAtErrors: false,
    maxImageSize: 1,
    verbosity: 0,
  }).promise;
}

/** Adds a trailer that names the catalog. A document that was cut off has none, and the package finds everything else without it. */
function withTrailer(bytes: Buffer): Buffer {
  const end = bytes.lastIndexOf('/Catalog');
  const before = bytes.toString('latin1', Math.max(0, end - catalog_bytes), Math.max(0, end));
  const [, number, generation] = [...before.matchAll(/(\d{1,10})\s+(\d{1,5})\s+obj\b/g)].at(-1) ?? [];
  return number === undefined ? bytes : Buffer.concat([bytes, Buffer.from(`\ntrailer\n<</Root ${number} ${generation} R>>\n`)]);
}

function codeOf(fault: unknown): 'encrypted' | 'protected' | 'damaged' {
  if (!(fault instanceof Error)) return 'damaged';
  if (fault.name === 'PasswordException') return 'encrypted';
  // The package names no error for other kinds of encryption.
  return /encryption|crypto/i.test(fault.message) ? 'protected' : 'damaged';
}

/** Returns whether a document is a collection of other files (ISO 32000-1, 12.3.5). */
async function isPortfolio(document: PDFDocumentProxy): Promise<boolean> {
  const { info } = await document.getMetadata().catch(() => ({ info: {} }));
  return (info as { IsCollectionPresent?: unknown }).IsCollectionPresent === true;
}

/** Defines the classes that the package needs to load, but not to read text. */
function defineDrawingClasses(): void {
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) Object.assign(globalThis, { [name]: class {} });
}

/** Clones a message within the package. One that is nested deeper than the stack, such as an outline, would end the process: it comes empty. */
function cloneUnlessDeep(message: object, options?: Parameters<typeof clone>[1]): unknown {
  try {
    return clone(message, options);
  } catch (fault) {
    if (!(fault instanceof RangeError)) throw fault;
    return clone({ ...message, data: null }, options);
  }
}

/** Replaces the forms that Arabic letters have within a word by the letters, as in all other text. */
function withLetters(text: string): string {
  return text.replace(/[\uFB50-\uFDFB\uFE70-\uFEFC]+/g, (forms) => forms.normalize('NFKC'));
}

async function linesOf(page: PDFPageProxy): Promise<string[]> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join('');
  const annotations = await page.getAnnotations().catch(() => []);
  return [withLetters(text), ...annotationLines(annotations)];
}

/** Returns the text of a page in reading order; undefined if the page can't be read. */
async function textOf(document: PDFDocumentProxy, number: number): Promise<string | undefined> {
  try {
    const page = await document.getPage(number);
    const lines = document.isPureXfa ? xfaLines((await page.getXfa()) as XfaNode | null) : await linesOf(page);
    page.cleanup();
    return lines.join('\n');
  } catch {
    return undefined;
  }
}

type Outline = NonNullable<Awaited<ReturnType<PDFDocumentProxy['getOutline']>>>;

/** Adds the headings in the order of the document. An entry whose page is unknown is left out. */
async function readOutline(document: PDFDocumentProxy, pages: Pages): Promise<void> {
  const open: Outline = [...((await document.getOutline().catch(() => null)) ?? [])].reverse();
  let visited = 0;
  for (let entry = open.pop(); entry !== undefined && visited < max_headings; entry = open.pop()) {
    visited += 1;
    const page = await pageOf(document, entry.dest);
    if (page !== undefined) pages.addOutlineEntry(entry.title, page);
    for (const inner of [...entry.items].reverse()) open.push(inner);
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
