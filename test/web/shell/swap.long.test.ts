import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithout } from '../../helpers/parts.js';
import { callerOf, ownExtension, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { logIn, openBrowser, openPerson, type Person } from '../../helpers/web.js';

const skip = skipWithout('chromium');
const extensions = ['members', 'chat', 'notifications', 'web'].map(ownExtension);

interface StartAnswer {
  pages: { extension: string; module: string; style: string | null; entries: object[] }[];
}

/** Makes the server offer what `change` makes of its pages. */
async function offer(person: Person, change: (pages: StartAnswer['pages']) => StartAnswer['pages']): Promise<void> {
  await person.context.unroute('**/api/web/start');
  await person.context.route('**/api/web/start', async (route) => {
    const response = await route.fetch();
    const start = (await response.json()) as StartAnswer;
    await route.fulfill({ response, json: { ...start, pages: change(start.pages) } });
  });
}

/** Another address of the same module counts as another version. */
const versioned = (version: number) => (pages: StartAnswer['pages']) =>
  pages.map((page) => (page.extension === 'members' ? { ...page, module: `${page.module}?version=${version}` } : page));

const announce = (kernel: TestPlatform['kernel']) => kernel.invoke('plugins.reload', { name: 'notifications' }, callerOf());

async function openPeople(t: Test): Promise<{ person: Person; page: Page; kernel: TestPlatform['kernel'] }> {
  const { url, kernel } = await startPlatform(t, { extensions });
  const person = await openPerson(await openBrowser(t), url);
  const page = await person.tab('/people');
  await logIn(page);
  await page.getByRole('searchbox').first().waitFor();
  return { person, page, kernel };
}

/** Resolves when the tab has imported a version of the page. */
async function imported(page: Page, version: number): Promise<void> {
  await page.waitForFunction(
    (part) => performance.getEntriesByType('resource').some(({ name }) => name.endsWith(part)),
    `?version=${version}`,
  );
}

t.test('a page is replaced twenty times while a person types in it, and no key, caret or focus is lost', { skip }, async (t) => {
  const { person, page, kernel } = await openPeople(t);
  const field = page.getByRole('searchbox').first();
  const text = 'the quick brown fox jumps over the lazy dog and goes on for a while because it can '.repeat(3).trim();
  await field.click();
  const typing = field.pressSequentially(text, { delay: 60, timeout: 0 });
  for (let version = 1; version <= 20; version += 1) {
    await offer(person, versioned(version));
    await announce(kernel);
    await imported(page, version);
  }
  await typing;
  t.equal(await field.inputValue(), text);
  await page.keyboard.press('Home');
  await page.keyboard.type('>');
  t.equal(await field.inputValue(), `>${text}`, 'the field still has the focus');
  t.same(person.faults, []);
});

t.test('a newer page that cannot be loaded leaves the old one in use, with a note', { skip }, async (t) => {
  const { person, page, kernel } = await openPeople(t);
  await offer(person, (pages) =>
    pages.map((each) => (each.extension === 'members' ? { ...each, module: '/assets/members/none.js' } : each)),
  );
  await announce(kernel);
  await page.getByText('The new version of this page could not be loaded.').waitFor({ timeout: 30_000 });
  await page.getByRole('searchbox').first().fill('still here');
  await offer(person, versioned(2));
  await announce(kernel);
  await page.getByText('The new version of this page could not be loaded.').waitFor({ state: 'detached', timeout: 30_000 });
  t.equal(await page.getByRole('searchbox').first().inputValue(), 'still here');
});

t.test('an extension that goes takes its entry along and its address says so, until it is back', { skip }, async (t) => {
  const { person, page, kernel } = await openPeople(t);
  const entry = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'People' });
  await offer(person, (pages) => pages.filter(({ extension }) => extension !== 'members'));
  await announce(kernel);
  await page.getByText('This page has gone').waitFor();
  t.equal(await entry.count(), 0);
  await offer(person, versioned(1));
  await announce(kernel);
  await page.getByRole('searchbox').first().waitFor();
  t.equal(await entry.count(), 1);
});
