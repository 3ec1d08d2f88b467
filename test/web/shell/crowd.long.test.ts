import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { packed } from '../../examples/world.js';
import { until } from '../../helpers/eventually.js';
import { startModelServer } from '../../helpers/model-server.js';
import { skipWithout } from '../../helpers/parts.js';
import { adminPassword, callerOf } from '../../helpers/platform.js';
import { type App, type Person, startApp } from '../app.js';

/** Default that a small machine carries in two minutes. The whole crowd is 20 tabs and 50 replacements. */
const tabs = Number(process.env.PLATFORM_TEST_TABS ?? 6);
const swaps = Number(process.env.PLATFORM_TEST_SWAPS ?? 8);

/** The tabs share the machine's processors. */
const patience_ms = 120_000;

/** One worker writes only so many replies at a time. */
const conversations = 4;

const plugin = 'acme.webhooks';
const kinds = ['chat', 'chat', 'members', 'chat', plugin] as const;
type Kind = (typeof kinds)[number];

interface Tab {
  page: Page;
  kind: Kind;
  /** The conversation, by number. */
  number: number;
  field: Locator;
  /** Text typed into the field so far. */
  typed: string;
}

/** The versions of pages that the server offers, and the catalog of which each tab has heard last. */
interface Offers {
  versions: Map<string, number>;
  heard: Map<Page, number>;
}

interface World {
  app: App;
  admin: Person;
  offers: Offers;
  crowd: Tab[];
}

t.test(
  `${tabs} tabs type and stream while pages are replaced ${swaps} times each, and lose nothing`,
  { skip: skipWithout('chromium'), timeout: 3_600_000 },
  async (t) => {
    const replies = await startReplies(t);
    const app = await startApp(t, {
      strict: false,
      settings: { 'agents.model.base_url': replies.url, 'agents.model.name': 'scripted', 'plugins.trusted': [plugin] },
    });
    const admin = await app.person();
    await admin.logIn(await admin.tab(), 'admin', adminPassword);
    const world: World = { app, admin, offers: await followOffers(admin), crowd: [] };
    const ids = await beginReplies(app);
    await installInOpenTabs(t, world, ids);
    let loads = 0;
    for (const { page } of world.crowd) page.on('load', () => (loads += 1));
    let isTyped = false;
    t.teardown(() => (isTyped = true));
    const typing = world.crowd.map((tab) => typeInto(tab, () => isTyped));
    await Promise.race([replaceAll(t, world), ...typing]);
    isTyped = true;
    await Promise.all(typing);
    replies.end();
    for (const tab of world.crowd) await assertWhole(t, tab, { app, id: ids[tab.number] as string });
    t.same(admin.complaints, []);
    await removeFromOpenTabs(t, world);
    t.equal(loads, 0, 'no tab was loaded again');
  },
);

/** A model whose replies go on until they are ended. */
async function startReplies(t: Test): Promise<{ url: string; end: () => void }> {
  const model = await startModelServer(t);
  let isOver = false;
  model.script(async (exchange) => {
    for (let count = 0; !isOver && !exchange.isClosed; count += 1) {
      exchange.text(`word${count} `);
      await pause(100);
    }
    if (exchange.isClosed) return;
    exchange.text('end');
    exchange.finish();
  });
  return {
    url: model.url,
    end: () => {
      isOver = true;
    },
  };
}

/** Another address of the same module counts as another version. */
async function followOffers({ context }: Person): Promise<Offers> {
  const offers: Offers = { versions: new Map(), heard: new Map() };
  await context.route('**/api/web/start', async (route) => {
    const response = await route.fetch();
    const start = (await response.json()) as { generation: number; pages: { extension: string; module: string; style: string }[] };
    const pages = start.pages.map((page) => {
      const mark = `?version=${offers.versions.get(page.extension) ?? 0}`;
      return { ...page, module: page.module + mark, style: page.style + mark };
    });
    await route.fulfill({ response, json: { ...start, pages } });
    offers.heard.set(route.request().frame().page(), start.generation);
  });
  return offers;
}

async function beginReplies(app: App): Promise<string[]> {
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
  return ids;
}

const entryOf = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Hooks' });

/** Opens the tabs, and installs the plugin while they are open; one of five then shows its page. */
async function installInOpenTabs(t: Test, { app, admin, crowd }: World, ids: readonly string[]): Promise<void> {
  for (let index = 0; index < tabs; index += 1) {
    const page = await admin.tab();
    const [kind, number] = [kinds[index % kinds.length] as Kind, index % conversations];
    await page.goto(kind === 'chat' ? `/chat/${ids[number]}` : '/people');
    const field = kind === 'chat' ? page.getByRole('textbox', { name: /message/i }) : page.getByRole('searchbox').first();
    await field.waitFor({ timeout: patience_ms });
    if (kind === 'chat') await page.getByText('word3 ').first().waitFor({ timeout: patience_ms });
    crowd.push({ page, kind, number, field, typed: '' });
  }
  await app.kernel.workbench.install(await packed(t, plugin));
  const since = performance.now();
  await Promise.all(crowd.map(({ page }) => entryOf(page).waitFor({ timeout: patience_ms })));
  t.comment(`in the navigation of all ${tabs} tabs ${Math.round(performance.now() - since)} ms after the installation`);
  for (const tab of crowd.filter(({ kind }) => kind === plugin)) {
    await entryOf(tab.page).click();
    await tab.page.getByRole('button', { name: 'new hook' }).click();
    tab.field = tab.page.getByRole('dialog').getByLabel(/^session/i);
  }
}

async function removeFromOpenTabs(t: Test, { app, crowd }: World): Promise<void> {
  await app.kernel.installer.uninstall(plugin, {});
  const since = performance.now();
  await Promise.all(crowd.map(({ page }) => entryOf(page).waitFor({ state: 'detached', timeout: patience_ms })));
  t.comment(`gone from all of them ${Math.round(performance.now() - since)} ms after the removal`);
  for (const { page, kind } of crowd) if (kind === plugin) await page.getByText('This page has gone').waitFor({ timeout: patience_ms });
}

/** Types as a person does: into what has the focus, wherever a replacement leaves it. */
async function typeInto(tab: Tab, isOver: () => boolean): Promise<void> {
  await tab.field.click();
  for (let count = 0; !isOver(); count += 1) {
    const word = `${count} `;
    await tab.page.keyboard.type(word, { delay: 100 });
    tab.typed += word;
    await pause(500);
  }
}

/** Replaces each extension: in the first half each replacement is awaited in all tabs, in the second they follow each other at once. */
async function replaceAll(t: Test, { app, offers, crowd }: World): Promise<void> {
  const began = performance.now();
  for (let version = 1; version <= swaps; version += 1)
    for (const name of ['chat', 'members', plugin]) {
      offers.versions.set(name, version);
      await app.kernel.invoke('plugins.reload', { name }, callerOf());
      if (version <= swaps / 2 || version === swaps) await arrived({ app, offers, crowd }, name);
      else await pause(50);
    }
  t.comment(`${swaps} replacements of three extensions took ${Math.round((performance.now() - began) / 1_000)} s`);
  for (const name of ['chat', 'members']) await arrived({ app, offers, crowd }, name);
}

/** Resolves when each tab has heard of the present catalog, and those that show the extension's page show its present version. */
async function arrived({ app, offers, crowd }: Pick<World, 'app' | 'offers' | 'crowd'>, name: string): Promise<void> {
  const { body } = await app.kernel.invoke('catalog.get', {}, callerOf());
  const { generation } = body as { generation: number };
  await until(
    () => crowd.filter(({ page }) => (offers.heard.get(page) ?? 0) < generation).length,
    (behind) => behind === 0,
    patience_ms,
  );
  // The style sheet of a version is in force as soon as its views are shown.
  const style = `link[media=all][href*="/assets/${name}/"][href$="?version=${offers.versions.get(name)}"]`;
  const showing = crowd.filter(({ kind }) => kind === name && name !== plugin);
  await Promise.all(showing.map(({ page }) => page.locator(style).waitFor({ state: 'attached', timeout: patience_ms })));
}

async function assertWhole(t: Test, { page, kind, number, field, typed }: Tab, { app, id }: { app: App; id: string }): Promise<void> {
  t.equal(await field.inputValue(), typed, `a tab of ${kind} ${number}: every key`);
  if (kind !== 'chat') return;
  const answered = () => app.ask<{ role: string; status: string; content: string }[]>('GET', `/api/chat/messages?session_id=${id}`);
  const all = await until(answered, ([, reply]) => reply?.status === 'completed', patience_ms);
  const content = all[1]?.content ?? '';
  const count = content.split(' ').length - 1;
  t.equal(content, `${Array.from({ length: count }, (_, index) => `word${index}`).join(' ')} end`, 'the reply is stored as it was written');
  const feed = page.getByRole('feed');
  await feed.getByText(`word${count - 1} end`).waitFor({ timeout: patience_ms });
  const shown = (await feed.innerText()).replaceAll(/\s+/g, ' ');
  t.equal(shown.split(content).length, 2, `a tab of ${kind} ${number}: every word of the reply, once`);
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
