import { readChart } from './chart.js';
import { title_length } from './limits.js';
import type { OfficePackage } from './office-package.js';
import type { Pages } from './pages.js';
import type { XmlHandler } from './xml.js';

/** Placeholders of numbers, dates, headers, footers and pictures of the slide, which each slide repeats. */
const repeated: ReadonlySet<string> = new Set(['sldNum', 'dt', 'ftr', 'hdr', 'sldImg']);
const titles: ReadonlySet<string> = new Set(['title', 'ctrTitle']);

/** Parts beside a slide that have text, and the label before it. Comments have one of two formats. */
const labels: Readonly<Record<string, string>> = { diagramData: '', notesSlide: 'Notes:\n', comments: 'Comments:\n' };

/** Reads a presentation: a page for each slide, with its diagrams, charts, notes and comments. */
export async function readPptx(office: OfficePackage, main: string, pages: Pages): Promise<void> {
  const ids: string[] = [];
  await office.parse(main, {
    open(name, attributes) {
      if (name === 'sldId') ids.push(attributes.prefixed('id') ?? '');
    },
  });
  const links = await office.relationships(main);
  for (const id of ids) {
    const slide = links.get(id);
    if (slide?.type === 'slide') await readSlide(office, slide.target, pages);
    else pages.addPage('');
  }
}

async function readSlide(office: OfficePackage, path: string, pages: Pages): Promise<void> {
  const slide = new SlideText();
  await office.parse(path, slide);
  const texts = [slide.content];
  for (const { type, target } of (await office.relationships(path)).values()) {
    const label = Object.hasOwn(labels, type) ? labels[type] : undefined;
    const text = type === 'chart' ? await readChart(office, target) : label === undefined ? '' : await readPart(office, target);
    if (text !== '') texts.push(`${label ?? ''}${text}`);
  }
  pages.addPage(texts.join('\n\n'), slide.title);
}

async function readPart(office: OfficePackage, path: string): Promise<string> {
  const part = new SlideText();
  await office.parse(path, part);
  return part.content;
}

/** Collects the paragraphs of a slide, and the rows of its tables as lines with tabs. */
class SlideText implements XmlHandler {
  readonly #lines: string[] = [];
  #title = '';
  #placeholder = '';
  #paragraph = '';
  #isText = false;
  #row: string[] = [];
  #cell: string[] | undefined;
  /** Whether it is inside of an alternative for older programs, which repeats the text before it. */
  #isFallback = false;

  get content(): string {
    return this.#lines.join('\n');
  }

  get title(): string | undefined {
    return this.#title === '' ? undefined : this.#title;
  }

  open(name: string, attributes: { get(name: string): string | undefined }): void {
    if (name === 'sp') this.#placeholder = '';
    else if (name === 'ph') this.#placeholder = attributes.get('type') ?? 'body';
    else if (name === 'tr') this.#row = [];
    else if (name === 'tc') this.#cell = [];
    else if (name === 't' || name === 'text') this.#isText = true;
    else if (name === 'br') this.#paragraph += '\n';
    else if (name === 'Fallback') this.#isFallback = true;
  }

  text(text: string): void {
    if (this.#isText && !this.#isFallback) this.#paragraph += text;
  }

  close(name: string): void {
    if (name === 't') this.#isText = false;
    else if (name === 'p' || name === 'text') this.#endParagraph();
    else if (name === 'tc') this.#endCell();
    else if (name === 'tr') this.#endRow();
    else if (name === 'Fallback') this.#isFallback = false;
  }

  #endParagraph(): void {
    this.#isText = false;
    const paragraph = this.#paragraph.trim();
    this.#paragraph = '';
    if (paragraph === '' || repeated.has(this.#placeholder)) return;
    if (titles.has(this.#placeholder) && this.#title.length < title_length) this.#title = `${this.#title} ${paragraph}`.trim();
    if (this.#cell) this.#cell.push(paragraph);
    else this.#lines.push(paragraph);
  }

  #endRow(): void {
    this.#lines.push(this.#row.join('\t'));
    // The row around a table in a table is cut: its cells would repeat in each row.
    this.#row = [];
  }

  #endCell(): void {
    this.#row.push(this.#cell?.join(' ') ?? '');
    this.#cell = undefined;
  }
}
