import type { OfficePackage } from './office-package.js';
import type { Pages } from './pages.js';
import { Refusal } from './refusal.js';
import { SheetReader } from './sheet.js';
import { readDateStyles } from './sheet-dates.js';

/** Limit of the characters of all texts that cells share. */
const max_shared_characters = 50_000_000;

interface Workbook {
  sheets: { id: string; name: string }[];
  /** Whether its dates count from 1904. */
  from_1904: boolean;
}

/** Reads a workbook: each sheet begins on a new page, each row is a line with tabs. Cells have their values, and a formula if there is none. */
export async function readXlsx(office: OfficePackage, main: string, pages: Pages): Promise<void> {
  const { sheets, from_1904 } = await readWorkbook(office, main);
  const links = await office.relationships(main);
  const partOf = (type: string) => [...links.values()].find((link) => link.type === type)?.target ?? '';
  const shared = await readShared(office, partOf('sharedStrings'));
  const dates = await readDateStyles(office, partOf('styles'));
  for (const { id, name } of sheets) {
    const link = links.get(id);
    if (link?.type !== 'worksheet') continue;
    pages.flush();
    pages.addHeading(name);
    await office.parse(link.target, new SheetReader({ shared, dates, from_1904, row: (line) => pages.add(line) }));
    await readComments(office, link.target, pages);
  }
}

/** Adds the comments on the cells of a sheet. */
async function readComments(office: OfficePackage, sheet: string, pages: Pages): Promise<void> {
  for (const { type, target } of (await office.relationships(sheet)).values()) {
    if (type !== 'comments') continue;
    let cell = '';
    let text = '';
    let isText = false;
    await office.parse(target, {
      open(name, attributes) {
        if (name === 'comment') [cell, text] = [attributes.get('ref') ?? '', ''];
        isText = name === 't';
      },
      text(piece) {
        if (isText) text += piece;
      },
      close(name) {
        isText = false;
        if (name === 'comment' && text.trim() !== '') pages.add(`Comment on ${cell}: ${text.trim()}`);
      },
    });
  }
}

async function readWorkbook(office: OfficePackage, main: string): Promise<Workbook> {
  const workbook: Workbook = { sheets: [], from_1904: false };
  await office.parse(main, {
    open(name, attributes) {
      if (name === 'sheet') workbook.sheets.push({ id: attributes.prefixed('id') ?? '', name: attributes.get('name') ?? '' });
      if (name === 'workbookPr') workbook.from_1904 = ['1', 'true'].includes(attributes.get('date1904') ?? '');
    },
  });
  return workbook;
}

/** Returns the texts that cells refer to by index, without their phonetic texts. */
async function readShared(office: OfficePackage, path: string): Promise<readonly string[]> {
  const texts: string[] = [];
  let text = '';
  let isText = false;
  let isPhonetic = false;
  let characters = 0;
  await office.parse(path, {
    open(name) {
      if (name === 'si') text = '';
      if (name === 'rPh') isPhonetic = true;
      isText = name === 't' && !isPhonetic;
    },
    text(piece) {
      if (!isText) return;
      text += piece;
      characters += piece.length;
      if (characters > max_shared_characters) throw new Refusal('too_large');
    },
    close(name) {
      if (name === 't') isText = false;
      if (name === 'rPh') isPhonetic = false;
      if (name === 'si') texts.push(text);
    },
  });
  return texts;
}
