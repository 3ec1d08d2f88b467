import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { importWeb } from '../../helpers/web.js';

/** Notes the texts that the server sends, and the names of its values, in each page of a browser profile: whatever comes is parsed as JSON. */
export async function noteSentTexts(context: BrowserContext): Promise<void> {
  await context.addInitScript(`(() => {
    const sent = (window.sentTexts = new Set());
    const add = (value) => {
      if (typeof value === 'string' && value.length > 2) sent.add(value.replaceAll(/\\s+/g, ' ').trim());
      else if (typeof value === 'object' && value !== null) {
        Object.values(value).forEach(add);
        // A form names a field without a title by its key.
        for (const key of Object.keys(value)) sent.add(key.charAt(0).toUpperCase() + key.slice(1).replaceAll('_', ' '));
      }
      return value;
    };
    const parse = JSON.parse;
    JSON.parse = (...rest) => add(parse(...rest));
    const json = Response.prototype.json;
    Response.prototype.json = async function () {
      return add(await json.call(this));
    };
  })()`);
}

/** Returns the texts of all catalogues in English that are others in Chinese. */
export async function englishTexts(): Promise<Set<string>> {
  const all = await Promise.all((await catalogues()).map(([en, zh]) => Promise.all([importWeb<Module>(en), importWeb<Module>(zh)])));
  return new Set(all.flatMap(([en, zh]) => different(onlyOf(en), onlyOf(zh))));
}

type Module = Readonly<Record<string, unknown>>;

/** Finds the catalogues, as paths below `web`. */
async function catalogues(): Promise<[en: string, zh: string][]> {
  const extensions = await readdir(join(process.cwd(), 'extensions'), { withFileTypes: true });
  const folders = ['kit/texts', 'shell/texts', ...extensions.map(({ name }) => `../extensions/${name}/web/texts`)];
  const found: [string, string][] = [];
  for (const folder of folders) {
    const files = await readdir(join(process.cwd(), 'web', folder)).catch((): string[] => []);
    if (files.includes('en.ts') && files.includes('zh.ts')) found.push([`${folder}/en.ts`, `${folder}/zh.ts`]);
  }
  return found;
}

function onlyOf(module: Module): unknown {
  return Object.values(module)[0];
}

/** Returns the English texts of two and more letters whose translation is another text. */
function different(en: unknown, zh: unknown): string[] {
  if (typeof en === 'string') return en !== zh && /[a-z]{2}/.test(en) ? [en] : [];
  if (typeof en !== 'object' || en === null) return [];
  return Object.entries(en).flatMap(([key, value]) => different(value, (zh as Module | undefined)?.[key]));
}

/** Texts of the page that a person sees or hears; code, and what is marked as of another language, isn't a text. */
const shown = `(() => {
  const texts = [];
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!element.closest('code, pre, kbd, script, style, .kit-markdown, [lang]:not(html)') && isShown(element)) texts.push(node.data);
  }
  for (const element of document.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
    if (isShown(element)) for (const name of ['aria-label', 'title', 'placeholder', 'alt']) texts.push(element.getAttribute(name) ?? '');
  return [...new Set(texts.map((text) => text.replaceAll(/\\s+/g, ' ').trim()))].filter((text) => /[A-Za-z]{2}/.test(text));
})()`;

/** Returns the English of a Chinese page: texts of the English catalogues, and sentences, that the server hasn't sent. */
export async function untranslated(page: Page, english: ReadonlySet<string>): Promise<string[]> {
  const [texts, sent] = await page.evaluate<[string[], string[]]>(`[${shown}, [...window.sentTexts]]`);
  const isSent = (text: string) => sent.some((each) => each.includes(text) || text.includes(each));
  return texts.filter((text) => (english.has(text) && !sent.includes(text)) || (isSentence(text) && !isSent(text)));
}

/** Returns whether a text has two English words and nothing Chinese. */
function isSentence(text: string): boolean {
  return !/\p{Script=Han}/u.test(text) && /[A-Za-z]{3,} [A-Za-z]{2,}/.test(text);
}
