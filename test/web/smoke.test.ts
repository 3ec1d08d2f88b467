import t from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { startApp } from './app.js';

t.test('a person logs in, writes to an AI employee and reads its answer', { skip: skipWithout('chromium') }, async (t) => {
  const app = await startApp(t);
  const employee = await app.ask<{ id: number; name: string }>('POST', '/api/members/virtual', { name: 'Grace', post: 'Support' });
  const admin = await app.person();
  const page = await admin.tab();
  await admin.logIn(page, 'admin', adminPassword);
  await page.goto(`/chat/with/${employee.id}`);
  await page.getByRole('textbox', { name: /message/i }).fill('/help');
  await page.keyboard.press('Enter');
  await page.getByText('/tools').first().waitFor();
  await page.getByRole('textbox', { name: /message/i }).fill('R&amp;D &copy; 2026');
  await page.keyboard.press('Enter');
  await page.getByText('R&D © 2026').first().waitFor();
  t.same([...admin.origins], [app.url], 'no address but its own is asked');
  t.same(admin.complaints, [], 'nothing is refused and nothing fails');
});
