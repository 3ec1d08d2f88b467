import type { Page } from 'playwright-core';
import t from 'tap';
import { startModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, callerOf } from '../../helpers/platform.js';
import { startApp } from '../app.js';

/** Fewer for a first try on a slow machine. */
const tabs = Number(process.env.PLATFORM_TEST_TABS ?? 3);
const swaps = Number(process.env.PLATFORM_TEST_SWAPS ?? 10);

/** Twenty tabs share the machine's processors. */
const patience_ms = 120_000;

/** One worker writes only so many replies at a time. */
const conversations = 4;

const words = Array.from({ length: 400 }, (_, index) => `word${index}`);
const typed = 'what is typed here must be here at the end, whatever is replaced meanwhile: ';

t.test(
  `${tabs} tabs type and stream while pages are replaced ${swaps} times each, and lose nothing`,
  { skip: skipWithout('chromium') },
  async (t) => {
    const model = await startModelServer(t);
    let isOver = false;
    model.script(async (exchange) => {
      for (const [index, word] of words.entries()) {
        exchange.text(index === 0 ? word : ` ${word}`);
        // The last words wait for the last replacement.
        if (index > words.length / 2) while (!isOver) await pause(100);
        await pause(20);
      }
      exchange.finish();
    });
    const app = await startApp(t, { settings: { 'agents.model.base_url': model.url, 'agents.model.name': 'scripted' } });
    const admin = await app.person();
    const first = await admin.tab();
    await admin.logIn(first, 'admin', adminPassword);
    let version = 0;
    await admin.context.route('**/api/web/start', async (route) => {
      const response = await route.fetch();
      const start = (await response.json()) as { pages: { extension: string; module: string }[] };
      const pages = start.pages.map((page) => ({ ...page, module: `${page.module}?version=${version}` }));
      await route.fulfill({ response, json: { ...start, pages } });
    });
    const crowd: Page[] = [];
    let loads = 0;
    const ids: string[] = [];
    for (let index = 0; index < conversations; index += 1) {
      const { id } = await app.ask<{ id: string }>('POST', '/api/chat/sessions', {
        title: `Reply ${index}`,
        target_type: 'ai',
        target_id: '',
      });
      await app.ask('POST', '/api/chat/send', { session_id: id, content: 'Go on' });
      ids.push(id);
    }
    for (let index = 0; index < tabs; index += 1) {
      const page = await admin.tab();
      await page.goto(`/chat/${ids[index % conversations]}`);
      await page.getByText('word3').first().waitFor({ timeout: patience_ms });
      page.on('load', () => (loads += 1));
      crowd.push(page);
    }
    const typing = crowd.map((page, index) => box(page).pressSequentially(typed + index, { delay: 200, timeout: 0 }));
    for (version = 1; version <= swaps; version += 1)
      for (const name of ['chat', 'members']) {
        await app.kernel.invoke('plugins.reload', { name }, callerOf());
        await pause(150);
      }
    await Promise.all(typing);
    const last = `version=${version - 1}`;
    for (const page of crowd)
      await page.waitForFunction(
        (end) => performance.getEntriesByType('resource').some(({ name }) => name.includes('/chat/') && name.endsWith(end)),
        last,
        { timeout: patience_ms },
      );
    isOver = true;
    for (const [index, page] of crowd.entries()) {
      await page
        .getByText(`word${words.length - 1}`)
        .first()
        .waitFor({ timeout: patience_ms });
      t.equal(await box(page).inputValue(), typed + index, `tab ${index}: every key`);
      const shown = await page.getByRole('feed').innerText();
      t.match(shown.replaceAll(/\s+/g, ' '), words.join(' '), `tab ${index}: every word of the reply`);
    }
    t.equal(loads, 0, 'no tab was loaded again');
    t.same(admin.complaints, []);
  },
);

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const box = (page: Page) => page.getByRole('textbox', { name: /message/i });
