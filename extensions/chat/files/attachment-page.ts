import type { DocumentText, OutlineEntry } from '../../../kernel/contract/index.js';
import { invalidInput } from '../codes.js';
import { startInJson } from '../text.js';

/** The page that a model asks for, and the part of it, because a long page has several. */
export interface PageChoice {
  page: number;
  part: number;
}

/** One page of a file, as a model reads it. */
interface AttachmentPage {
  name: string;
  /** Number of pages. */
  pages: number;
  page: number;
  /** The part, and the number of parts, if the page is too long for one answer. */
  part?: number;
  parts?: number;
  /** Names the next part, and says what is left out. */
  note?: string;
  /** Only with the first part of the first page. */
  outline?: readonly OutlineEntry[];
  text: string;
}

/**
 * Limit of the text of an answer, in bytes of JSON. It is enough for a page of 3,000 characters in any script, and leaves room within the
 * 12,000 characters of a tool's result.
 */
const max_text = 9_300;
/** Limits of a text and an outline together, and of an outline alone. */
const max_with_outline = 11_000;
const max_outline = 5_000;

/**
 * Returns a page of a document, or a part of a long one. Together the parts are the whole page. Fails with `invalid_input` if there is no
 * such page or part.
 */
export function pageOf(name: string, { pages, outline, is_cut }: DocumentText, { page, part }: PageChoice): AttachmentPage {
  const quoted = JSON.stringify(name);
  const whole = pages[page - 1];
  if (whole === undefined) {
    const last = count(pages.length, 'page');
    if (is_cut) throw invalidInput('page', `Only the first ${last} of the file ${quoted} are read, not page ${page}`);
    throw invalidInput('page', `The file ${quoted} has ${last}; there is no page ${page}`);
  }
  const headings = page === 1 ? thinned(outline) : [];
  const parts = partsOf(whole, Math.min(max_text, max_with_outline - JSON.stringify(headings).length));
  const text = parts[part - 1];
  if (text === undefined)
    throw invalidInput('part', `Page ${page} of the file ${quoted} has ${count(parts.length, 'part')}; there is no part ${part}`);
  const isFirst = page === 1 && part === 1;
  const notes = [
    part < parts.length && `The page goes on: read part ${part + 1} of page ${page} next.`,
    isFirst && headings.length < outline.length && `The outline has ${outline.length} headings, of which ${headings.length} are listed.`,
    is_cut && 'The file has further pages, which are not read.',
  ].filter((note) => note !== false);
  return {
    name,
    pages: pages.length,
    page,
    ...(parts.length > 1 ? { part, parts: parts.length } : {}),
    ...(notes.length > 0 ? { note: notes.join(' ') } : {}),
    ...(isFirst && headings.length > 0 ? { outline: headings } : {}),
    text,
  };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Returns an outline that fits an answer: every heading, or every second, third and so on of the whole document. */
function thinned(outline: readonly OutlineEntry[]): readonly OutlineEntry[] {
  for (let every = 1; ; every += 1) {
    const some = outline.filter((_heading, at) => at % every === 0);
    if (some.length <= 1 || JSON.stringify(some).length <= max_outline) return some;
  }
}

/** Cuts a page at the ends of lines or words, if there is one in the second half of a part. Joined, the parts are the page. */
function partsOf(page: string, max_bytes: number): string[] {
  const parts: string[] = [];
  for (let rest = page; rest !== '' || parts.length === 0; ) {
    const fits = startInJson(rest, max_bytes);
    const part = fits.length === rest.length ? fits : fits.slice(0, endOf(fits));
    parts.push(part);
    rest = rest.slice(part.length);
  }
  return parts;
}

function endOf(text: string): number {
  const ends = ['\n', ' '].map((mark) => text.lastIndexOf(mark) + 1);
  return ends.find((end) => end > text.length / 2) ?? text.length;
}
