import type { Page } from 'playwright-core';
import t from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword, callerOf, ownExtension, startPlatform, type TestPlatform, temporaryFolder } from '../helpers/platform.js';
import { freePort } from '../helpers/ports.js';
import { startServer } from '../helpers/server-process.js';
import { logIn, openBrowser, openPerson } from '../helpers/web.js';

const skip = skipWithout('chromium');
const extensions = ['members', 'chat', 'notifications', 'web'].map(ownExtension);
const navigation = (page: Page) => page.getByRole('navigation', { name: 'Pages' });
const logInView = (page: Page) => page.getByRole('heading', { name: 'Log in' });

t.test('a login lasts over a reload and in a second tab, and a log-out ends it in all tabs', { skip }, async (t) => {
  const { url } = await startPlatform(t, { extensions });
  const browser = await openBrowser(t);
  const person = await openPerson(browser, url);
  const page = await person.tab();
  await logIn(page, 'admin', 'wrong password');
  await page.getByRole('alert').getByText('The user name or the password is wrong.').waitFor();
  await logIn(page);
  await navigation(page).waitFor();
  await page.reload();
  await navigation(page).waitFor();
  const second = await person.tab('/people');
  await navigation(second).waitFor();
  t.equal(new URL(second.url()).pathname, '/people', 'a deep link shows its page');
  await page.evaluate('localStorage.setItem("platform:1:kept:chat.draft", "1")');
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Log out' }).click();
  await Promise.all([logInView(page).waitFor(), logInView(second).waitFor()]);
  const stored = (await page.evaluate('Object.keys(localStorage)')) as string[];
  t.notMatch(stored.join(' '), ':1:', 'nothing of the member stays');
  await second.reload();
  await logInView(second).waitFor();
  t.same(person.faults, []);
});

t.test('a session that ended asks for a new log-in over the page, and what is typed stays', { skip }, async (t) => {
  const { url, kernel } = await startPlatform(t, { extensions });
  const browser = await openBrowser(t);
  const person = await openPerson(browser, url);
  const page = await person.tab('/people');
  await logIn(page);
  await navigation(page).waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: /^Find a page/ });
  await field.fill('half a thought');
  await endLogins(kernel);
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.waitFor();
  await dialog.getByLabel('Password', { exact: true }).fill(adminPassword);
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  t.equal(await field.inputValue(), 'half a thought');
});

t.test('a draft outlives an ended session and a reload, for its writer alone', { skip }, async (t) => {
  const { url, kernel } = await startPlatform(t, { extensions });
  await kernel.invoke('members.create', { username: 'ben', password: adminPassword }, callerOf());
  const { body } = await kernel.invoke('sessions.create', { title: 'Notes', target_type: '', target_id: '' }, callerOf());
  const path = `/chat/${(body as { id: string }).id}`;
  const person = await openPerson(await openBrowser(t), url);
  const page = await person.tab(path);
  const field = page.locator('.chat-main .chat-composer').getByRole('textbox');
  await logIn(page);
  await field.fill('half a thought');
  await endLogins(kernel);
  await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
  await page.reload();
  await logInView(page).waitFor();
  await logIn(page, 'ben');
  await navigation(page).waitFor();
  t.notMatch(await page.locator('body').innerText(), 'half a thought');
  await kernel.invoke('members.reset_password', { id: 2, new_password: adminPassword }, callerOf());
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
  await dialog.getByLabel('User name').fill('admin');
  await dialog.getByLabel('Password', { exact: true }).fill(adminPassword);
  await dialog.getByRole('button', { name: 'Log in', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
  await field.waitFor();
  t.equal(await field.inputValue(), 'half a thought');
});

t.test('two tabs renew a token that expires soon once, and go on', { skip }, async (t) => {
  const { url } = await startPlatform(t, { extensions, settings: { 'members.access_ttl_s': 60 } });
  const browser = await openBrowser(t);
  const person = await openPerson(browser, url);
  const page = await person.tab();
  await logIn(page);
  await navigation(page).waitFor();
  const second = await person.tab();
  await navigation(second).waitFor();
  let renewals = 0;
  person.context.on('request', (request) => (renewals += request.url().endsWith('/api/auth/refresh') ? 1 : 0));
  // Somewhat before the token's minute is over.
  await person.context.waitForEvent('requestfinished', {
    predicate: (request) => request.url().endsWith('/api/auth/refresh'),
    timeout: 65_000,
  });
  await page.waitForTimeout(12_000);
  t.equal(renewals, 1, 'one tab has renewed for both');
  await second.getByRole('link', { name: 'People' }).click();
  await second.getByRole('searchbox').first().waitFor();
  for (const tab of [page, second]) t.equal(await logInView(tab).count(), 0);
  t.same(person.faults, []);
});

t.test('a server that was killed and started again finds its tabs where they were', { skip }, async (t) => {
  const data_dir = await temporaryFolder(t);
  const port = String(await freePort());
  const environment = { PLATFORM_DATA_DIR: data_dir, PLATFORM_PORT: port };
  const server = await startServer(t, environment);
  const browser = await openBrowser(t);
  const person = await openPerson(browser, server.url);
  const page = await person.tab();
  await logIn(page);
  await navigation(page).waitFor();
  await server.kill('SIGKILL');
  await page.getByText('No connection to the server.').waitFor();
  await startServer(t, environment);
  await page.getByText('No connection to the server.').waitFor({ state: 'detached', timeout: 30_000 });
  await navigation(page).waitFor();
});

t.test('a tab that was offline says so, and goes on by itself', { skip }, async (t) => {
  const { url } = await startPlatform(t, { extensions });
  const browser = await openBrowser(t);
  const person = await openPerson(browser, url);
  const page = await person.tab();
  await logIn(page);
  await navigation(page).waitFor();
  await person.context.setOffline(true);
  await page.getByText('No connection to the server.').waitFor({ timeout: 60_000 });
  await person.context.setOffline(false);
  await page.getByRole('region', { name: 'Notices' }).getByText('Connected again').waitFor({ timeout: 30_000 });
});

/** Ends all logins of the first administrator, as an administrator would by a reset password. */
async function endLogins(kernel: TestPlatform['kernel']): Promise<void> {
  await kernel.invoke('members.reset_password', { id: 1, new_password: adminPassword }, callerOf());
}
