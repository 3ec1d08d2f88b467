import type { Page } from 'playwright-core';
import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword } from '../../helpers/platform.js';
import { askerAt, startApp } from '../app.js';

/** Notes what a tab tells, in place of the browser, which shows it outside of the page. */
const noted = `{
  globalThis.told = [];
  globalThis.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, { body }) { told.push(title + ': ' + body); globalThis.last = this; }
    close() {}
  };
  globalThis.AudioContext = class { constructor() { told.push('sound'); throw new Error('silent'); } };
}`;

const toldIn = async (pages: readonly Page[]) =>
  (await Promise.all(pages.map((page) => page.evaluate('told.filter((each) => each !== "sound")') as Promise<string[]>))).flat();

t.test(
  'notices of messages come whichever page is open, once for all tabs, and not for what is in sight',
  { skip: skipWithout('chromium') },
  async (t) => {
    const app = await startApp(t);
    const { id: ben } = await app.ask<{ id: number }>('POST', '/api/members', { username: 'ben', password: adminPassword });
    const { session_id } = await app.ask<{ session_id: string }>('POST', '/api/chat/contacts/start', { member_id: ben });
    const asBen = askerAt(app.url, 'ben');
    const write = (content: string) => asBen('POST', '/api/chat/send', { session_id, content });
    const person = await app.person();
    await person.context.addInitScript(noted);
    const page = await person.tab();
    await person.logIn(page, 'admin', adminPassword);
    const second = await person.tab();
    for (const [tab, path] of [
      [page, '/people'],
      [second, '/notifications'],
    ] as const) {
      await tab.goto(path);
      await tab.getByRole('navigation', { name: 'Pages' }).waitFor();
    }
    const pages = [page, second];
    const arrived = (count: number) => page.getByRole('link', { name: new RegExp(`Chat.*${count}`) }).waitFor();
    await write('before it is switched on');
    await arrived(1);
    t.same(await toldIn(pages), [], 'off by default');

    await page.getByRole('link', { name: /^Chat/ }).click();
    await page.getByRole('button', { name: 'Notifications in this browser' }).click();
    await page.getByRole('switch', { name: 'Show notifications' }).click();
    await page.getByRole('button', { name: 'Close' }).last().click();
    for (const tab of pages) {
      await tab.goto('/people');
      await tab.getByRole('navigation', { name: 'Pages' }).waitFor();
    }
    await write('the **first**');
    const first = await until(
      () => toldIn(pages),
      ({ length }) => length > 0,
    );
    await page.waitForTimeout(500);
    t.same([first, await toldIn(pages)], [['ben: the first'], ['ben: the first']], 'in one tab');

    await second.goto(`/chat/${session_id}`);
    await second.getByRole('article').filter({ hasText: 'the first' }).waitFor();
    await write('in sight');
    await second.getByRole('article').filter({ hasText: 'in sight' }).waitFor();
    await second.goto('/people');
    await second.getByRole('navigation', { name: 'Pages' }).waitFor();
    await write('the last');
    await until(
      () => toldIn(pages),
      (all) => all.includes('ben: the last'),
    );
    t.notOk((await toldIn(pages)).includes('ben: in sight'), 'not what is in sight in a tab');
    const teller = (await toldIn([page])).includes('ben: the last') ? page : second;
    await teller.evaluate('last.onclick()');
    await teller.waitForURL(`**/chat/${session_id}`);
  },
);
