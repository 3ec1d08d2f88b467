import t from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { adminPassword } from '../helpers/platform.js';
import { startApp } from './app.js';

const skip = skipWithout('chromium');

t.test('an administrator invites, and the person joins by the link and is logged in', { skip }, async (t) => {
  const app = await startApp(t);
  const [boss, guest] = [await app.person(), await app.person()];
  const page = await boss.tab();
  await boss.logIn(page, 'admin', adminPassword);
  await page.goto('/members');
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(/E-mail address/).fill('eva@example.com');
  await dialog.getByRole('button', { name: 'Invite', exact: true }).click();
  const link = await dialog.getByLabel('Link').inputValue();
  t.match(new URL(link).pathname, /^\/invitation\/[\w-]{43}$/);
  await dialog.getByRole('button', { name: 'Done' }).click();
  await page.getByText('eva@example.com').waitFor();

  const visit = await guest.tab();
  await visit.goto(link);
  await visit.getByRole('heading', { name: 'admin invites you' }).waitFor();
  await visit.getByLabel('User name').fill('admin');
  await visit.getByLabel('Your name').fill('Eva');
  await visit.getByLabel('Password', { exact: true }).fill('long enough');
  await visit.getByRole('button', { name: 'Join' }).click();
  await visit.getByText('Somebody has this user name already.').waitFor();
  await visit.getByLabel('User name').fill('eva');
  await visit.getByRole('button', { name: 'Join' }).click();
  await visit.getByRole('navigation').first().waitFor();
  t.equal(new URL(visit.url()).pathname, '/', 'the link is no longer in the address');
  await visit.goto('/me');
  await visit.getByText('Eva (@eva)').waitFor();

  const late = await (await app.person()).tab();
  await late.goto(link);
  await late.getByText('This invitation can’t be used.').waitFor();
  await late.getByRole('button', { name: 'To the log-in' }).click();
  await late.getByRole('heading', { name: 'Log in' }).waitFor();
  t.same(
    [...boss.complaints, ...guest.complaints].filter((line) => !line.includes('409')),
    [],
  );
});
