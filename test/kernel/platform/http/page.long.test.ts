import { chromium } from 'playwright-core';
import t from 'tap';
import { findPart, skipWithout } from '../../../helpers/parts.js';
import { hello } from './deeds.js';
import { startWorld } from './world.js';

t.test('a person authorises and tries an operation in a browser offline', { skip: skipWithout('chromium') }, async (t) => {
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], hello);
  const { program } = findPart('chromium') as { program: string };
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  const page = await browser.newPage();
  const complaints: string[] = [];
  const asked = new Set<string>();
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (fault) => complaints.push(fault.message));
  page.on('request', (request) => asked.add(new URL(request.url()).origin));

  await page.goto(`${made.url}/docs`);
  await page.click('.btn.authorize');
  await page.fill('.modal-ux input', 'member');
  await page.click('.modal-ux .authorize');
  await page.click('.modal-ux .btn-done');
  await page.click('#operations-tag-hello');
  await page.click('.opblock-post .opblock-summary-control');
  await page.fill('.opblock-post textarea', '{"text": "hello from the page"}');
  await page.click('.opblock-post .execute');
  const answer = await page.textContent('.opblock-post .live-responses-table .microlight');
  t.match(JSON.parse(answer ?? ''), { input: { text: 'hello from the page' }, member_id: 7 });
  t.same(complaints, [], 'no script, style or request was refused');
  t.same([...asked], [made.url]);
});
