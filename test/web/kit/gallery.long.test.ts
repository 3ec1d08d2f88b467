import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import t from 'tap';
import { skipWithout } from '../../helpers/parts.js';
import { openBrowser } from '../../helpers/web.js';

interface Design {
  serveGallery: () => Promise<{ address: string; close: () => void }>;
}

const skip = skipWithout('chromium');
const { serveGallery } = (await import(pathToFileURL(join(process.cwd(), 'scripts/design.mjs')).href)) as Design;
const axe = await readFile('node_modules/axe-core/axe.min.js', 'utf8');

t.test('the components work and are accessible in each theme, width and contrast, under the policy', { skip }, async (t) => {
  const { address, close } = await serveGallery();
  t.teardown(close);
  const browser = await openBrowser(t);
  const looks: Record<string, BrowserContextOptions> = {
    light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
    dark: { colorScheme: 'dark', viewport: { width: 360, height: 740 }, hasTouch: true },
    contrast: { colorScheme: 'light', contrast: 'more', reducedMotion: 'reduce', locale: 'zh-CN' },
  };
  for (const [name, options] of Object.entries(looks)) {
    await t.test(name, async (t) => {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      const faults: string[] = [];
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      page.on('pageerror', (error) => faults.push(error.message));
      await page.goto(`${address}/gallery`);
      await page.locator('.hljs-keyword').first().waitFor();
      await page.locator('.u-legend').waitFor();
      t.strictSame(await violations(page), [], 'at rest');
      t.ok(await page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth'), 'nothing is wider than the window');
      await context.close();
      t.strictSame(faults, [], 'neither the policy nor the page complains');
    });
  }
});

t.test('what opens holds the focus, is accessible, and gives the focus back', { skip }, async (t) => {
  const { address, close } = await serveGallery();
  t.teardown(close);
  const browser = await openBrowser(t);
  const page = await browser.newPage({ locale: 'en-GB' });
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${address}/gallery`);
  const openings: readonly (readonly [opener: string, role: 'menu' | 'dialog' | 'listbox'])[] = [
    ['Add node', 'menu'],
    ['Theme: system', 'menu'],
    ['Open dialog', 'dialog'],
    ['Filter', 'dialog'],
    ['Small Model', 'listbox'],
  ];
  for (const [name, role] of openings) {
    const opener = page.getByRole('button', { name, exact: true }).last();
    await opener.focus();
    await page.keyboard.press('Enter');
    await page.getByRole(role).waitFor();
    // The focus follows in the next frame.
    await page.locator(`[role=${role}]:focus, [role=${role}] :focus`).first().waitFor();
    t.strictSame(await violations(page), [], name);
    await page.keyboard.press('Escape');
    await page.getByRole(role).waitFor({ state: 'detached' });
    await focusOf(opener).waitFor();
  }
  t.strictSame(faults, []);
});

t.test('fields take what is typed and chosen by keyboard', { skip }, async (t) => {
  const { address, close } = await serveGallery();
  t.teardown(close);
  const browser = await openBrowser(t);
  const page = await browser.newPage({ locale: 'en-GB' });
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(`${address}/gallery?part=forms`);
  const number = page.getByRole('textbox', { name: 'Tokens a day' });
  await number.press('ArrowUp');
  t.equal(await number.inputValue(), '1,501');
  const members = page.getByRole('combobox', { name: 'Members' });
  await members.fill('Tom');
  await page.getByRole('option', { name: 'Tomás Ferreira' }).waitFor();
  await members.press('ArrowDown');
  await members.press('Enter');
  // The list stays open for the next one, and hides what is around it.
  t.equal(await members.inputValue(), '');
  await members.press('Escape');
  await page.getByRole('button', { name: 'Remove Tomás Ferreira' }).waitFor();
  await members.press('Backspace');
  await page.getByRole('button', { name: 'Remove Tomás Ferreira' }).waitFor({ state: 'detached' });
  await page.getByRole('combobox', { name: 'Owner' }).click();
  t.strictSame(await page.getByRole('option').allInnerTexts(), ['Mara Lindqvist', 'Tomás Ferreira', '陈思远'], 'a click shows all');
  await page.goto(`${address}/gallery?part=layout`);
  await page.getByRole('columnheader', { name: 'Name' }).click();
  t.strictSame(await page.getByRole('rowheader').allInnerTexts(), ['build-10', 'build-9', 'backup-2'], 'numbers in names count as numbers');
  const rows = page.getByRole('list', { name: 'Conversations' });
  await rows.getByRole('link', { name: /Mara/ }).focus();
  await page.keyboard.press('ArrowDown');
  t.match(await page.evaluate<string>('document.activeElement.textContent'), /陈思远/);
  t.strictSame(faults, []);
});

t.test('a terminal shows what its session prints, and hands over lines', { skip }, async (t) => {
  const { address, close } = await serveGallery();
  t.teardown(close);
  const browser = await openBrowser(t);
  const page = await browser.newPage();
  const faults: string[] = [];
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await page.goto(`${address}/gallery?part=shell`);
  const frame = page.frameLocator('iframe[title="Terminal of backup-2"]');
  await frame.getByText('Repeats what you type').first().waitFor();
  await frame.locator('textarea').focus();
  await page.keyboard.type('echo 你好');
  await page.keyboard.press('Enter');
  await page.keyboard.type('ahead');
  const shown = frame.locator('.xterm-accessibility-tree');
  await shown.getByText('$ ahead').waitFor();
  t.match(await shown.innerText(), /\$ echo 你好\s+echo 你好\s+\$ ahead/);
  t.strictSame(faults, []);
});

/** Returns the element while it has the focus. */
const focusOf = (element: Locator): Locator => element.and(element.page().locator(':focus'));

/** Waits for the end of what fades in: until then its colours are not its own. */
const settled = `Promise.all(
  document.getAnimations().map((animation) => animation.effect.getTiming().iterations === Infinity || animation.finished),
)`;

/** Returns what axe finds, as the rule and the elements. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  await page.evaluate(settled);
  const { violations: found } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })");
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}
