import type { Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { callTools, type ModelServer, say, startModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword } from '../../helpers/platform.js';
import { type App, startApp } from '../app.js';

const skip = skipWithout('chromium');

interface World {
  app: App;
  model: ModelServer;
  /** The administrator's tab. */
  page: Page;
  complaints: readonly string[];
}

async function start(t: Test): Promise<World> {
  const model = await startModelServer(t);
  const app = await startApp(t, { settings: { 'agents.model.base_url': model.url, 'agents.model.name': 'scripted' } });
  const admin = await app.person();
  const page = await admin.tab();
  await admin.logIn(page, 'admin', adminPassword);
  return { app, model, page, complaints: admin.complaints };
}

async function employee({ app }: World, name: string): Promise<number> {
  return (await app.ask<{ id: number }>('POST', '/api/members/virtual', { name, post: '' })).id;
}

/** Creates a person, and opens that person's own browser. */
async function personNamed({ app }: World, username: string): Promise<{ id: number; page: Page }> {
  const { id } = await app.ask<{ id: number }>('POST', '/api/members', { username, password: adminPassword });
  const person = await app.person();
  const page = await person.tab();
  await person.logIn(page, username, adminPassword);
  return { id, page };
}

const field = (page: Page) => page.locator('.chat-main .chat-composer').getByRole('textbox');
const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

t.test('a reply is written with its steps, and a tool runs after it was approved', { skip }, async (t) => {
  const world = await start(t);
  const { model, page } = world;
  model.script(callTools([{ name: 'members_create_virtual', arguments: { name: 'Bo' } }], 'I create Bo.'), say('Bo is', ' **there**.'));
  await page.goto(`/chat/with/${await employee(world, 'Iris')}`);
  await write(page, 'Create Bo');
  const approval = page.getByRole('region', { name: /Iris wants to use/ });
  await approval.getByText('"name": "Bo"').waitFor();
  await approval.getByText('It runs with your rights').waitFor();
  await approval.getByRole('button', { name: 'Approve' }).click();
  await message(page, 'Bo is there.').waitFor();
  await approval.waitFor({ state: 'detached' });
  const tool = page.getByRole('region', { name: 'Tool members.create_virtual' });
  await tool.getByRole('button').first().click();
  await tool.getByText('"username": "bo"').waitFor();
  t.match(page.url(), /\/chat\/[0-9a-f-]{36}$/);
  t.same(world.complaints, []);
});

t.test('what fails is told apart from what is stored, and can be asked again', { skip }, async (t) => {
  const world = await start(t);
  const { model, page } = world;
  model.script((exchange) => exchange.text('Half of', 'break off'), say('All of it.'));
  await page.goto(`/chat/with/${await employee(world, 'Iris')}`);
  await write(page, 'Tell me');
  await page.getByText('The text above was stored').waitFor();
  await page.getByRole('button', { name: 'Ask again' }).click();
  await message(page, 'All of it.').waitFor();
  t.equal(await message(page, 'Tell me').count(), 2);
});

t.test('stop stops the answer and keeps what is written', { skip }, async (t) => {
  const world = await start(t);
  const { model, page } = world;
  model.script(async (exchange) => {
    for (let count = 0; !exchange.isClosed; count += 1) {
      exchange.text(`piece${count} `);
      await pause(30);
    }
  });
  await page.goto(`/chat/with/${await employee(world, 'Iris')}`);
  await write(page, 'Go on');
  await page.getByText('piece5').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByText('Stopped', { exact: true }).waitFor();
  const written = await message(page, 'piece5').innerText();
  await pause(500);
  t.equal(await message(page, 'piece5').innerText(), written);
});

t.test('two people see what the other writes, edits, reacts with and deletes', { skip }, async (t) => {
  const world = await start(t);
  const { app, page } = world;
  const ben = await personNamed(world, 'ben');
  const room = await app.ask<{ id: string }>('POST', '/api/chat/sessions', { title: 'Launch', target_type: 'room', member_ids: [ben.id] });
  for (const one of [page, ben.page]) {
    await one.goto(`/chat/${room.id}`);
    await field(one).waitFor();
  }
  await field(page).pressSequentially('Hello @be');
  await page.getByRole('option', { name: /ben/ }).waitFor();
  await ben.page.getByText('admin is typing').waitFor();
  await page.keyboard.press('Enter');
  await field(page).press('Enter');
  await message(ben.page, 'Hello @ben').waitFor();
  // Arrow-up edits the last message.
  await field(page).press('ArrowUp');
  await page.keyboard.type('indeed');
  await page.keyboard.press('Enter');
  await message(ben.page, 'Hello @ben indeed').getByText('edited').waitFor();
  await message(ben.page, 'indeed').hover();
  await ben.page.getByRole('button', { name: 'Add a reaction' }).click();
  await ben.page.getByRole('button', { name: /🎉/ }).click();
  await message(page, 'indeed')
    .getByRole('button', { name: /🎉, 1 reaction/ })
    .waitFor();
  await message(ben.page, 'indeed').hover();
  await ben.page.getByRole('button', { name: 'Reply in thread' }).click();
  await ben.page.getByRole('complementary', { name: 'Thread' }).getByRole('textbox').fill('Aside');
  await ben.page.keyboard.press('Enter');
  await page.getByRole('button', { name: /1 reply/ }).click();
  await page.getByRole('complementary', { name: 'Thread' }).getByText('Aside').waitFor();
  await page.getByRole('link', { name: 'Close thread' }).click();
  await message(page, 'indeed').first().focus();
  await page.keyboard.press('Delete');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete message' }).click();
  await ben.page
    .getByRole('feed', { name: /Launch/ })
    .getByText('This message was deleted')
    .waitFor();
  t.same(world.complaints, []);
});

t.test('a found message is shown in its place in a long conversation, which goes on in both directions', { skip }, async (t) => {
  const { app, page } = await start(t);
  const { id } = await app.ask<{ id: string }>('POST', '/api/chat/sessions', { title: 'Long', target_type: '', target_id: '' });
  for (let count = 0; count < 240; count += 1)
    await app.ask('POST', '/api/chat/send', { session_id: id, content: count === 60 ? 'the needle' : `note ${count}` });
  await page.goto('/chat');
  await page.getByRole('searchbox', { name: 'Search messages' }).fill('needle');
  await page.getByRole('link', { name: /the needle/ }).click();
  await message(page, 'the needle').waitFor();
  // The list is scrolled once its rows are drawn.
  const isInSight = async () => {
    const box = await message(page, 'the needle').boundingBox();
    return box !== null && box.y > 0 && box.y < 700;
  };
  for (let tries = 0; tries < 100 && !(await isInSight()); tries += 1) await pause(50);
  t.ok(await isInSight(), 'it is in sight');
  const feed = page.getByRole('feed');
  for (const [by, last] of [
    [-1_500, 'note 0'],
    [1_500, 'note 239'],
  ] as const) {
    await feed.hover();
    while (
      (await message(page, last)
        .filter({ hasText: new RegExp(`${last}$`) })
        .count()) === 0
    ) {
      await page.mouse.wheel(0, by);
      await pause(50);
    }
  }
  const shown = await page.getByRole('article').allInnerTexts();
  const numbers = shown.map((text) => Number(/note (\d+)/.exec(text)?.[1]));
  t.ok(
    numbers.every((number, index) => index === 0 || number === (numbers[index - 1] as number) + 1),
    'no message is missing',
  );
});

t.test('what is typed or not sent survives a closed tab and a lost connection, and is sent once', { skip }, async (t) => {
  const { app, page } = await start(t);
  const { id } = await app.ask<{ id: string }>('POST', '/api/chat/sessions', { title: 'Notes', target_type: '', target_id: '' });
  await page.goto(`/chat/${id}`);
  await field(page).fill('A draft');
  await page.reload();
  t.equal(await field(page).inputValue(), 'A draft');
  await page.context().setOffline(true);
  await field(page).press('Enter');
  await page.getByText('Not sent yet').waitFor();
  await page.context().setOffline(false);
  await message(page, 'A draft').waitFor();
  await page.getByText('Not sent yet').waitFor({ state: 'detached' });
  const stored = await app.ask<{ content: string }[]>('GET', `/api/chat/messages?session_id=${id}`);
  t.same(
    stored.map(({ content }) => content),
    ['A draft'],
  );
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
