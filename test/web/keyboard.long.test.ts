import type { Page } from 'playwright-core';
import tap, { type Test } from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import type { Person } from './app.js';
import { Keyboard } from './views/keyboard.js';
import { type Office, startOffice } from './views/world.js';

const skip = skipWithout('chromium');

let office: Promise<Office> | undefined;
/** The one platform and browser of all tests of this file. */
const open = () => (office ??= startOffice(tap, { hasNode: false }));

interface Desk {
  keys: Keyboard;
  page: Page;
  office: Office;
}

/** Runs a test of the administrator, who has logged in by keyboard. */
function withKeys(name: string, work: (t: Test, desk: Desk) => Promise<void>): void {
  tap.test(name, { skip }, async (t) => {
    const { person, ...desk } = await sit();
    await work(t, desk);
    t.same(person.complaints, [], 'nothing fails');
    await person.context.close();
  });
}

async function sit(): Promise<Desk & { person: Person }> {
  const office = await open();
  const person = await office.app.person({ viewport: { width: 1_280, height: 800 } });
  const page = await person.tab();
  const keys = new Keyboard(page);
  await page.goto('/');
  await page.getByRole('heading', { name: 'Log in' }).waitFor();
  await keys.type('admin');
  await keys.press('Tab');
  await keys.type(adminPassword);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await keys.seesFocus('the log-in');
  return { keys, page, office, person };
}

withKeys('a conversation is found, opened and written in', async (t, { keys, page, office }) => {
  await keys.find('Launch');
  await page.waitForURL(`**/chat/${office.ids.room}`);
  const field = page.locator('.chat-main').getByRole('textbox');
  await keys.tabTo(field);
  await keys.type('Written by keys');
  await keys.press('Enter');
  await page.getByRole('article').filter({ hasText: 'Written by keys' }).waitFor();
  t.equal(await field.inputValue(), '');
  // The messages are behind the field; the arrows move between them.
  await keys.tabTo(page.getByRole('feed'), 'Shift+Tab');
  await keys.press('ArrowUp');
  t.ok(await page.evaluate(`document.activeElement.matches('article')`));
});

withKeys('a room is opened from the list, and a message is found in it', async (t, { keys, page, office }) => {
  await keys.open(page.getByRole('link', { name: 'Chat', exact: true }));
  const rows = page.getByRole('list', { name: 'Rooms' }).getByRole('link');
  await keys.open(rows.first());
  await page.waitForURL(`**/chat/${office.ids.room}`);
  await keys.press('Control+Shift+f');
  await keys.type('plan');
  const found = page.getByRole('link', { name: /the plan/ });
  await keys.open(found);
  await page.waitForURL(`**/chat/${office.ids.room}/${office.ids.message}`);
  await page.getByRole('article').filter({ hasText: 'for the plan' }).waitFor();
  await keys.seesFocus('a found message');
});

withKeys('a tool call is approved', async (t, { keys, page, office }) => {
  await keys.find('Approvals');
  await keys.open(page.getByRole('button', { name: 'Approve' }));
  await page.getByRole('button', { name: 'Approve' }).waitFor({ state: 'detached' });
  await keys.seesFocus('the decision');
  t.equal((await office.client.approvals.get({ id: office.ids.approval })).status, 'approved');
});

withKeys('a setting is changed, and a token is created', async (t, { keys, page }) => {
  await keys.find('Your settings');
  await keys.tabTo(page.getByRole('button', { name: /Theme/ }));
  await keys.press('Enter');
  await keys.press('ArrowDown');
  await keys.press('ArrowDown');
  await keys.press('Enter');
  await page.locator('html[data-theme=dark]').waitFor();
  const add = page.getByRole('button', { name: 'New token' });
  await keys.open(add);
  const dialog = page.getByRole('dialog');
  await keys.tabTo(dialog.getByLabel(/^Name/));
  await keys.type('Keys');
  await keys.open(dialog.getByRole('button', { name: 'Create' }));
  await dialog
    .getByText('It is shown only once')
    .or(dialog.getByRole('button', { name: 'Done' }))
    .first()
    .waitFor();
  await keys.open(dialog.getByRole('button', { name: 'Done' }));
  await page.getByRole('button', { name: /Keys/ }).first().waitFor();
  await keys.seesFocus('the token');
});

withKeys('an administrator creates an AI employee', async (t, { keys, page }) => {
  await keys.find('AI employees');
  await keys.open(page.getByRole('button', { name: 'New AI employee' }));
  const dialog = page.getByRole('dialog');
  await keys.tabTo(dialog.getByLabel('Name'));
  await keys.type('Ada');
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'Change Ada' }).waitFor();
  await keys.seesFocus('the creation');
  await keys.tabTo(page.getByLabel('Instructions'));
  await keys.type('Answer briefly.');
  await keys.open(page.getByRole('button', { name: 'Save' }));
  await page.getByRole('heading', { name: 'Ada', exact: true }).waitFor();
  await keys.seesFocus('saving');
});

withKeys('an administrator creates a schedule', async (t, { keys, page }) => {
  await keys.find('Schedules');
  await keys.open(page.getByRole('link', { name: 'New schedule' }).first());
  await keys.tabTo(page.getByLabel('Name'));
  await keys.type('By keys');
  await keys.tabTo(page.getByRole('combobox', { name: 'Action' }));
  await keys.type('maintenance.clean');
  await page.getByRole('option', { name: /maintenance.cleanup/ }).waitFor();
  await keys.press('ArrowDown');
  await keys.press('Enter');
  await keys.open(page.getByRole('button', { name: 'Save' }));
  await page.getByRole('heading', { name: 'By keys' }).waitFor();
  await keys.seesFocus('saving');
});

withKeys('leaving a form with changes asks first, and what was typed stays if the person stays', async (t, { keys, page, office }) => {
  await page.goto(`/employees/${office.ids.otto}/edit`);
  await keys.tabTo(page.getByLabel('Post'));
  await page.keyboard.press('End');
  await keys.type(' and more');
  await keys.find('People');
  const question = page.getByRole('alertdialog', { name: 'Leave without saving?' });
  await question.waitFor();
  await keys.press('Escape');
  await question.waitFor({ state: 'detached' });
  t.equal(await page.getByLabel('Post').inputValue(), 'Release notes and more');
  await keys.find('People');
  await keys.open(question.getByRole('button', { name: 'Leave' }));
  await page.waitForURL('**/people');
  await keys.seesFocus('leaving');
});
