import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import tap, { type Test } from 'tap';
import { until } from '../helpers/eventually.js';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import type { Person } from './app.js';
import { violations } from './views/axe.js';
import { drawn, layoutFaults } from './views/layout.js';
import { englishTexts, noteSentTexts, untranslated } from './views/texts.js';
import { type Role, type View, views } from './views/views.js';
import { beRefused, type Office, startOffice } from './views/world.js';

const skip = skipWithout('chromium');
const languages = { en: 'en-GB', zh: 'zh-CN' } as const;
type Language = keyof typeof languages;
/** A folder for pictures of all views. */
const pictures = process.env.PLATFORM_TEST_PICTURES;
const users: Readonly<Record<Role, string>> = { admin: 'admin', member: 'mara', newcomer: 'newcomer' };
const wide = { width: 1_280, height: 800 };
const narrow = { width: 360, height: 740 };
const smallest = { width: 320, height: 640 };

/** Looks in which a view must be accessible. */
const themes = {
  light: { colorScheme: 'light', contrast: 'no-preference' },
  dark: { colorScheme: 'dark', contrast: 'no-preference' },
  contrast: { colorScheme: 'light', contrast: 'more' },
} as const;

let office: Promise<Office> | undefined;
/** The one platform and browser of all tests of this file. */
const open = () => (office ??= startOffice(tap));

interface Seat {
  page: Page;
  person: Person;
}

/** Logs somebody in. */
async function sit({ app }: Office, role: Role, language: Language): Promise<Seat> {
  const options: BrowserContextOptions = { locale: languages[language], viewport: wide, bypassCSP: true };
  const person = await app.person(options);
  await noteSentTexts(person.context);
  const page = await person.tab();
  await page.goto('/');
  await page.locator('[name=username]').fill(users[role]);
  await page.locator('[name=password]').fill(adminPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
  return { page, person };
}

/** Opens a view as a link of the app does. Returns false if there is none of it here. */
async function show({ page }: Seat, view: View, office: Office): Promise<boolean> {
  const path = view.path(office.ids);
  if (path === undefined) return false;
  await page.setViewportSize(wide);
  await page.emulateMedia(themes.light);
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
  await view.act?.(page, office);
  await page
    .locator(view.ready ?? 'h1')
    .first()
    .waitFor({ timeout: 15_000 });
  await page.locator('.kit-loading').first().waitFor({ state: 'detached' });
  return true;
}

/** Closes what a view has opened above its page, so that the next one begins at an address. */
async function leave({ page }: Seat): Promise<void> {
  await page.setViewportSize(wide);
  await drawn(page);
  const above = page.locator('[role=dialog], dialog[open]');
  if ((await above.count()) > 0) await page.keyboard.press('Escape');
  await above.first().waitFor({ state: 'detached' });
  const search = page.locator('.chat-search input');
  if ((await search.count()) > 0) await search.fill('');
}

async function headingOf(page: Page): Promise<string> {
  const dialog = page.locator('[role=dialog] h2');
  const heading = (await dialog.count()) > 0 ? dialog : page.locator('main h1');
  return (await heading.first().innerText()).replaceAll(/\s+/g, ' ').trim();
}

tap.test('each view of each page is looked at here, and each tab', { skip }, async (t) => {
  const office = await open();
  const { page } = await sit(office, 'admin', 'en');
  const { pages } = await office.client.web.start({});
  const patterns: string[] = [];
  for (const { module } of pages)
    patterns.push(...(await page.evaluate<string[]>(`import('${module}').then(({ default: page }) => Object.keys(page.views))`)));
  const known = views.flatMap(({ pattern }) => pattern ?? []);
  t.same([...new Set(known)].sort(), patterns.sort());
  t.same(known.length, new Set(known).size, 'none twice');
  const paths = new Set(views.flatMap((view) => view.path(office.ids) ?? []));
  for (const entry of pages.flatMap(({ entries }) => entries)) t.ok(paths.has(entry.path), `the entry ${entry.path}`);
  for (const top of ['/marketplace', '/platform', ...(office.ids.node === undefined ? [] : [`/nodes/${office.ids.node}`])]) {
    await page.goto(top);
    const tabs = page.locator('main [role=tab]');
    await tabs.first().waitFor();
    const parts = [...paths].filter((path) => path.startsWith(`${top}/`) && !path.slice(top.length + 1).includes('/'));
    // The first tab is the page itself.
    t.equal(parts.length + 1, await tabs.count(), `the tabs of ${top}`);
  }
});

tap.test('the log page draws the lines that the server logs, the newest first', { skip }, async (t) => {
  const office = await open();
  const { app } = office;
  const { page } = await sit(office, 'admin', 'en');
  await page.goto('/platform/journal');
  const lines = page.locator('.system-line');
  // The tab gets lines from when its wish for them has arrived.
  await until(async () => {
    await beRefused(app);
    await page.waitForTimeout(100);
    return lines.count();
  }, Boolean);
  const newest = lines.first();
  const [text, time] = [await newest.innerText(), await newest.locator('time').getAttribute('datetime')];
  t.ok(
    app.lines.some((line) => line.time === time && text.includes(String(line.msg))),
    text,
  );
});

interface Place {
  page: Page;
  /** Begins the names of its pictures. */
  name: string;
  language: Language;
}

/** Looks at what a page shows, in all themes and sizes. */
async function inspect(t: Test, { page, name, language }: Place): Promise<void> {
  for (const [theme, media] of Object.entries(themes)) {
    await page.emulateMedia(media);
    t.same(await violations(page), [], `accessible in ${theme}`);
  }
  for (const size of [wide, narrow, smallest]) {
    await page.setViewportSize(size);
    t.same(await layoutFaults(page), [], `whole at ${size.width}`);
    if (pictures !== undefined && size !== smallest) await draw(page, join(pictures, `${name}-${language}-${size.width}`));
  }
}

/** Draws a page in the themes, for somebody to look at. */
async function draw(page: Page, path: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await page.emulateMedia(themes[theme]);
    await page.screenshot({ path: `${path}-${theme}.png` });
  }
}

for (const language of ['en', 'zh'] as const) {
  tap.test(`each view is accessible, whole and in its language: ${language}`, { skip }, async (t) => {
    const office = await open();
    const english = await englishTexts();
    const seats = new Map<Role, Seat>();
    for (const view of views) {
      const seat = seats.get(view.as) ?? (await sit(office, view.as, language));
      seats.set(view.as, seat);
      await t.test(view.name, async (t) => {
        if (!(await show(seat, view, office))) {
          t.pass('there is none here');
          return;
        }
        const { page } = seat;
        t.match(await headingOf(page), view.heading[language === 'en' ? 0 : 1]);
        if (language === 'zh') t.same(await untranslated(page, english), [], 'all is translated');
        await inspect(t, { page, name: view.name, language });
        await leave(seat);
      });
    }
    for (const { person } of seats.values()) t.same(person.complaints, [], 'nothing fails');
  });

  tap.test(`the log-in is accessible, whole and in its language: ${language}`, { skip }, async (t) => {
    const { app } = await open();
    const person = await app.person({ locale: languages[language], viewport: wide, bypassCSP: true });
    const page = await person.tab();
    await page.goto('/');
    await page.getByRole('heading', { name: language === 'en' ? 'Log in' : '登录' }).waitFor();
    await inspect(t, { page, name: 'log-in', language });
  });
}
