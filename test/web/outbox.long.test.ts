import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword, callerOf } from '../helpers/platform.js';
import { type App, type Person, startApp } from './app.js';

const skip = skipWithout('chromium');

interface World {
  app: App;
  admin: Person;
  page: Page;
  /** A conversation of the administrator alone, which the tab shows. */
  id: string;
  stored: () => Promise<string[]>;
}

/** Opens a conversation. `prepare` is a script that runs before each document. */
async function open(t: Test, prepare?: string): Promise<World> {
  const app = await startApp(t);
  const admin = await app.person();
  if (prepare) await admin.context.addInitScript(prepare);
  const page = await admin.tab();
  await admin.logIn(page, 'admin', adminPassword);
  const { id } = await app.ask<{ id: string }>('POST', '/api/chat/sessions', { title: 'Notes', target_type: '', target_id: '' });
  await page.goto(`/chat/${id}`);
  await field(page).waitFor();
  const stored = async () => {
    const { body } = await app.kernel.invoke('messages.list', { session_id: id }, callerOf());
    return (body as { content: string }[]).map(({ content }) => content);
  };
  return { app, admin, page, id, stored };
}

const field = (page: Page) => page.locator('.chat-main .chat-composer').getByRole('textbox');
const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

/** Lets a page's clock be moved on. */
const movable = `{
  const now = Date.now.bind(Date);
  let ahead = 0;
  Date.now = () => now() + ahead;
  globalThis.later = (hours) => { ahead += hours * 3_600_000; };
}`;

t.test('a message that could not be sent for half a day is sent only if its writer still means it', { skip }, async (t) => {
  const { admin, page, stored } = await open(t, movable);
  await admin.context.setOffline(true);
  await write(page, 'Lunch at noon?');
  await page.getByText('Not sent yet').waitFor();
  await page.evaluate('later(13)');
  await admin.context.setOffline(false);
  await page.getByText('Do you still want to send it?').waitFor();
  t.same(await stored(), [], 'nothing was sent without a word');
  await page.getByRole('button', { name: 'Send now' }).click();
  await message(page, 'Lunch at noon?').waitFor();
  await page.getByText('Do you still want to send it?').waitFor({ state: 'detached' });
  t.same(await stored(), ['Lunch at noon?']);
});

t.test('a message of a tab that goes before it was sent is sent by another tab, once and in its order', { skip }, async (t) => {
  const { admin, page, id, stored } = await open(t);
  const other = await admin.tab();
  await other.goto(`/chat/${id}`);
  await field(other).waitFor();
  await page.bringToFront();
  await admin.context.setOffline(true);
  for (const text of ['one', 'two']) await write(page, text);
  await page.getByText('Not sent yet').nth(1).waitFor();
  await page.close();
  await other.getByText('Not sent yet').nth(1).waitFor();
  await admin.context.setOffline(false);
  await message(other, 'two').waitFor();
  await other.getByText('Not sent yet').first().waitFor({ state: 'detached' });
  t.same(await stored(), ['one', 'two']);
});

t.test('a message that is sent as the login ends waits for the next login', { skip }, async (t) => {
  const { app, page, stored } = await open(t, movable);
  await app.kernel.invoke('members.reset_password', { id: 1, new_password: adminPassword }, callerOf());
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  // As with a key that was pressed just before the dialog came.
  await field(page).evaluate((element) => {
    const area = element as unknown as { value: string; dispatchEvent(event: Event): void };
    area.value = 'Just in time';
    const { KeyboardEvent } = globalThis as unknown as { KeyboardEvent: new (type: string, init: object) => Event };
    area.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
  });
  await page.getByText('Not sent yet').waitFor({ state: 'attached' });
  await page.getByLabel('Password', { exact: true }).fill(adminPassword);
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await message(page, 'Just in time').waitFor();
  t.same(await stored(), ['Just in time']);
});

t.test('a browser without room for drafts keeps them as long as the tab, and asks before it closes', { skip }, async (t) => {
  const { page, stored, admin } = await open(t);
  await page.evaluate(`for (let size = 1 << 22; size > 0; size = size >> 1)
    try { for (;;) localStorage.setItem('other ' + size + Math.random(), 'x'.repeat(size)); } catch {}`);
  await write(page, 'sent all the same');
  await message(page, 'sent all the same').waitFor();
  t.same(await stored(), ['sent all the same']);
  await field(page).pressSequentially('a draft that has no room');
  await page.waitForTimeout(1_000);
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  const dialog = await asked;
  t.equal(dialog.type(), 'beforeunload');
  await dialog.dismiss();
  await page.evaluate(`for (const name of Object.keys(localStorage)) if (name.startsWith('other')) localStorage.removeItem(name)`);
  await field(page).pressSequentially(', and now it has');
  await page.waitForTimeout(1_000);
  await page.reload();
  t.equal(await field(page).inputValue(), 'a draft that has no room, and now it has');
  t.same(admin.complaints, []);
});

/** As a browser that lets no page store anything. */
const forbidden = `{
  const refuse = () => { throw new DOMException('denied', 'SecurityError'); };
  Object.defineProperty(globalThis, 'localStorage', { get: refuse });
  Object.defineProperty(globalThis, 'sessionStorage', { get: refuse });
  // Documents without an origin have none.
  if (navigator.locks) navigator.locks.request = navigator.locks.query = () => Promise.reject(new DOMException('denied', 'SecurityError'));
}`;

t.test('a browser that forbids storage logs in, sends, streams and renews', { skip }, async (t) => {
  const { app, page, stored, admin } = await open(t, forbidden);
  await write(page, 'without a store');
  await message(page, 'without a store').waitFor();
  t.same(await stored(), ['without a store']);
  const { id } = await app.ask<{ id: string }>('POST', '/api/chat/sessions', { title: 'Help', target_type: 'ai', target_id: '' });
  await page.goto(`/chat/${id}`);
  await write(page, '/help');
  await page.getByText('/tools').first().waitFor();
  await page.reload();
  await page.getByText('/tools').first().waitFor();
  // It can't remember that nobody is logged in, so it has asked the server in vain.
  t.same(
    admin.complaints.filter((each) => !each.includes('401')),
    [],
  );
});

t.test('while the web app is stopped open tabs go on, and a new one waits for it by itself', { skip }, async (t) => {
  const { app, page, admin, id, stored } = await open(t);
  await app.kernel.invoke('plugins.disable', { name: 'web' }, callerOf());
  const next = await admin.tab();
  await next.goto(`/chat/${id}`);
  await next.getByText('The web app is not available now').waitFor();
  await write(page, 'meanwhile');
  await message(page, 'meanwhile').waitFor();
  t.same(await stored(), ['meanwhile']);
  await app.kernel.invoke('plugins.enable', { name: 'web' }, callerOf());
  await message(next, 'meanwhile').waitFor();
});
