import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, callerOf } from '../../helpers/platform.js';
import { type App, type Person, startApp } from '../app.js';

const skip = skipWithout('chromium');
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const password = 'a long enough one';

interface Member {
  id: number;
}

async function openMember(t: Test): Promise<{ app: App; member: Member; person: Person; page: Page }> {
  const app = await startApp(t);
  const member = await app.ask<Member>('POST', '/api/members', { username: 'bob', password });
  // The checks of accessibility are a script that the page's own policy would refuse.
  const person = await app.person({ bypassCSP: true });
  const page = await person.tab();
  await person.logIn(page, 'bob', password);
  return { app, member, person, page };
}

/** Returns what the rules of WCAG 2.2 AA find, by rule and place. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return (await page.evaluate(`axe
    .run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].target.join(' ')))`)) as string[];
}

const entries = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
const account = (page: Page) => page.getByRole('button', { name: /^(Account|账户)/ });

t.test('the frame is accessible in each of its states, and works by keyboard', { skip }, async (t) => {
  const { page, person } = await openMember(t);
  await page.goto('/people');
  await page.getByRole('searchbox').first().waitFor();
  t.same(await violations(page), [], 'a page');
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /^Find a page/ });
  await field.fill('notif');
  t.same(await violations(page), [], 'the palette');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/notifications');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  t.same(await violations(page), [], 'the list of keys');
  await page.keyboard.press('Escape');
  await account(page).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menu').waitFor();
  t.same(await violations(page), [], 'the menu');
  await page.keyboard.press('Escape');
  await page.goto('/no/such/page');
  await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
  t.same(await violations(page), [], 'no page');
  t.same(person.complaints, []);
});

t.test('a narrow screen has the navigation in a drawer', { skip }, async (t) => {
  const { page } = await openMember(t);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto('/people');
  t.equal(await entries(page).count(), 0);
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await entries(page).first().waitFor();
  t.same(await violations(page), []);
  await entries(page).filter({ hasText: 'Notifications' }).click();
  await page.waitForURL('**/notifications');
  await entries(page).first().waitFor({ state: 'detached' });
  t.equal(await page.evaluate('document.documentElement.scrollWidth'), 320, 'nothing is wider than the screen');
});

t.test('a chosen language and theme are in force at once, in the next tab and at the next log-in', { skip }, async (t) => {
  const { page, person } = await openMember(t);
  await account(page).click();
  await page.getByRole('menu').getByText('简体中文').click();
  await entries(page)
    .filter({ hasText: '首页' })
    .or(page.getByRole('link', { name: '聊天' }))
    .first()
    .waitFor();
  await account(page).click();
  await page.getByRole('menu').getByText('主题：深色').click();
  t.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark');
  await account(page).click();
  await page.getByRole('menuitem', { name: '退出登录' }).click();
  await page.getByRole('heading', { name: '登录' }).waitFor();
  t.equal(await page.evaluate('document.documentElement.lang'), 'zh-CN');
  t.same(person.complaints, []);
});

t.test('a member who becomes an administrator logs in again over the page, and sees what administrators see', { skip }, async (t) => {
  const { app, member, page } = await openMember(t);
  const before = await entries(page).allInnerTexts();
  t.notOk(before.includes('Members'));
  await app.ask('PUT', `/api/members/${member.id}`, { role: 'admin' });
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await entries(page).filter({ hasText: 'Members' }).waitFor();
});

t.test('an administrator who becomes a member is told which pages are closed, without a reload', { skip }, async (t) => {
  const { app, member, page } = await openMember(t);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  const changeRole = async (role: string) => {
    await app.ask('PUT', `/api/members/${member.id}`, { role });
    await dialog.getByLabel('Password', { exact: true }).fill(password);
    await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
  };
  let loads = 0;
  page.on('load', () => (loads += 1));
  await changeRole('admin');
  await entries(page).filter({ hasText: 'Members' }).click();
  await page.getByRole('heading', { name: 'Members' }).waitFor();
  await changeRole('member');
  await page.getByRole('heading', { name: 'This page is for administrators' }).waitFor();
  await entries(page).filter({ hasText: 'Members' }).waitFor({ state: 'detached' });
  await entries(page).filter({ hasText: 'People' }).click();
  await page.getByRole('searchbox').first().waitFor();
  t.equal(loads, 0);
});

t.test('a deactivated member is asked to log in, cannot, and is as before once active again', { skip }, async (t) => {
  const { app, member, page } = await openMember(t);
  await page.goto('/people');
  await page.getByRole('searchbox').first().fill('half a name');
  await app.ask('PUT', `/api/members/${member.id}`, { active: false });
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('Password', { exact: true }).fill(password);
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await dialog.getByText('The user name or the password is wrong.').waitFor();
  await app.ask('PUT', `/api/members/${member.id}`, { active: true });
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  t.equal(await page.getByRole('searchbox').first().inputValue(), 'half a name');
});

t.test('a changed password ends the other sessions, and this one goes on', { skip }, async (t) => {
  const { page, app } = await openMember(t);
  const elsewhere = await app.person();
  const other = await elsewhere.tab();
  await elsewhere.logIn(other, 'bob', password);
  await page.goto('/me');
  await page.getByLabel('Current password').fill(password);
  await page.getByLabel('New password').first().fill(adminPassword);
  await page.getByLabel('New password').first().press('Enter');
  await other.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.reload();
  await entries(page).first().waitFor();
  t.equal(await page.getByRole('dialog', { name: 'Your session has ended' }).count(), 0);
});

t.test('a new version of the app is offered as soon as nothing is unsaved', { skip }, async (t) => {
  const { app, page, person } = await openMember(t);
  await page.goto('/me');
  await page.getByLabel('Current password').fill('half');
  await person.context.route('**/api/web/start', async (route) => {
    const response = await route.fetch();
    const start = (await response.json()) as object;
    await route.fulfill({ response, json: { ...start, shell: '/assets/web/main-NEWER.js' } });
  });
  const read = page.waitForResponse('**/api/web/start');
  await app.kernel.invoke('plugins.reload', { name: 'notifications' }, callerOf());
  await read;
  await page.waitForTimeout(1_500);
  t.equal(await page.getByText('A new version is ready.').count(), 0, 'not while a form holds a text');
  await page.getByLabel('Current password').fill('');
  await page.getByText('A new version is ready.').waitFor();
});
