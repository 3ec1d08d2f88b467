import { OfficePackage } from './office-package.js';
import type { Pages } from './pages.js';
import { Refusal, type RefusalCode } from './refusal.js';

/** Reads an Office document of the kind that its main part names. Macros and embedded files are not read. */
export async function readOffice(bytes: Buffer, pages: Pages): Promise<void> {
  const office = await OfficePackage.open(bytes);
  const main = [...(await office.relationships('')).values()].find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined) throw new Refusal(codeOf(office));
  const root = await rootOf(office, main);
  if (root === 'document') return (await import('./docx.js')).readDocx(office, main, pages);
  if (root === 'workbook') return (await import('./xlsx.js')).readXlsx(office, main, pages);
  if (root === 'presentation') return (await import('./pptx.js')).readPptx(office, main, pages);
  throw new Refusal(main.endsWith('.bin') ? 'binary_workbook' : 'unknown');
}

/** Returns the reason why a ZIP without the main part of an Office document is not read. */
function codeOf(office: OfficePackage): RefusalCode {
  if (office.has('META-INF/manifest.xml') && office.has('content.xml')) return 'open_document';
  if (office.has('META-INF/container.xml')) return 'book';
  if (office.has('Index/Document.iwa') || office.has('Index.zip')) return 'iwork';
  // A drawing of Visio, or another package that is no document.
  return office.has('[Content_Types].xml') ? 'unknown' : 'archive';
}

/** Returns the name of the first element of a part; undefined if the part is not XML, as in a binary workbook. */
async function rootOf(office: OfficePackage, main: string): Promise<string | undefined> {
  const found = new Error('The root was found');
  let root: string | undefined;
  try {
    await office.parse(main, {
      open(name) {
        root = name;
        throw found;
      },
    });
  } catch (fault) {
    if (fault !== found && !(root === undefined && main.endsWith('.bin'))) throw fault;
  }
  return root;
}
