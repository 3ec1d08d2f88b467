import { readdirSync, readFileSync } from 'node:fs';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { until } from '../helpers/eventually.js';
import { Link } from '../helpers/link.js';
import { type ModelServer, say, startModelServer } from '../helpers/model-server.js';
import { findPart, skipWithout } from '../helpers/parts.js';
import { temporaryFolder } from '../helpers/platform.js';
import { freePort } from '../helpers/ports.js';
import { startServer } from '../helpers/server-process.js';
import { logIn, openBrowser } from '../helpers/web.js';
import { type App, askerAt } from './app.js';

const skip = skipWithout('chromium');
const noConnection = 'No connection to the server.';
const patience = { timeout: 90_000 };

interface Stored {
  content: string;
  role: string;
  status: string;
}

/** A platform in a process of its own, whose model goes on writing until it is told to end. */
interface Served {
  url: string;
  port: number;
  environment: Record<string, string>;
  ask: App['ask'];
  model: ModelServer;
}

async function environmentOf(t: Test, model: ModelServer): Promise<Record<string, string>> {
  const data_dir = await temporaryFolder(t);
  return {
    PLATFORM_DATA_DIR: data_dir,
    PLATFORM_PORT: String(await freePort()),
    PLATFORM_MODEL_BASE_URL: model.url,
    PLATFORM_MODEL_NAME: 'scripted',
    // The shortest that there is.
    PLATFORM_ACCESS_TTL_S: '60',
  };
}

const field = (page: Page) => page.locator('.chat-main .chat-composer').getByRole('textbox');
const message = (page: Page, text: string) => page.getByRole('article').filter({ hasText: text });

async function write(page: Page, text: string): Promise<void> {
  await field(page).fill(text);
  await field(page).press('Enter');
}

const messagesOf = (ask: App['ask'], id: string) => ask<Stored[]>('GET', `/api/chat/messages?session_id=${id}`);
const begin = (ask: App['ask'], title: string, target_type = '') =>
  ask<{ id: string }>('POST', '/api/chat/sessions', { title, target_type, target_id: '' });

/** Returns the text of a page's conversation on one line. */
const textOf = async (page: Page) => (await page.getByRole('feed').innerText()).replaceAll(/\s+/g, ' ');

/** Writes words until it is told to end. */
function endlessly(): { script: Parameters<ModelServer['script']>[0]; end: () => void } {
  let isOver = false;
  return {
    script: async (exchange) => {
      for (let count = 0; !isOver && !exchange.isClosed; count += 1) {
        exchange.text(`word${count} `);
        await pause(100);
      }
      if (exchange.isClosed) return;
      exchange.text('end');
      exchange.finish();
    },
    end: () => {
      isOver = true;
    },
  };
}

t.test(
  'a server is killed in the middle of a reply: the page says so, and what was written and sent is there once',
  { skip },
  async (t) => {
    const model = await startModelServer(t);
    model.script(endlessly().script, say('All', ' is well.'));
    const environment = await environmentOf(t, model);
    const server = await startServer(t, environment);
    const ask = askerAt(server.url);
    const { id } = await begin(ask, 'Reply', 'ai');
    const page = await (await openBrowser(t)).newPage();
    await page.goto(server.url);
    await logIn(page);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    await page.goto(`${server.url}/chat/${id}`);
    await write(page, 'Go on');
    await message(page, 'word10 ').waitFor(patience);
    await server.kill('SIGKILL');
    await write(page, 'Still there?');
    await page.getByText('Not sent yet').waitFor();
    await page.getByText(noConnection).waitFor();
    await field(page).fill('half a thought');
    await startServer(t, environment);
    await page.getByText(noConnection).waitFor({ state: 'detached', ...patience });
    await page.getByText('The text above was stored').waitFor(patience);
    await message(page, 'All is well.').waitFor(patience);
    await page.getByText('Not sent yet').waitFor({ state: 'detached' });
    const all = await messagesOf(askerAt(server.url), id);
    t.same(
      all.map(({ role, status }) => `${role} ${status}`),
      ['user completed', 'assistant failed', 'user completed', 'assistant completed'],
    );
    const shown = await textOf(page);
    for (const { content } of all) t.equal(shown.split(content.trim()).length, 2, `once: ${content.slice(0, 40)}`);
    t.equal(shown.match(/word\d+/g)?.length, all[1]?.content.match(/word\d+/g)?.length, 'the page shows what is stored, and not more');
    t.equal(await field(page).inputValue(), 'half a thought');
  },
);

t.test('tabs sleep, lose their network and outlive their tokens, and go on by themselves', { skip, timeout: 240_000 }, async (t) => {
  const model = await startModelServer(t);
  const reply = endlessly();
  model.script(reply.script);
  const environment = await environmentOf(t, model);
  const { url } = await startServer(t, environment);
  const served: Served = { url, port: Number(new URL(url).port), environment, ask: askerAt(url), model };
  // Each takes about a minute, so they do it at the same time.
  await Promise.all([sleeps(t, served), isStranded(t, served, reply.end), isOffline(t, served)]);
});

interface Reached {
  context: BrowserContext;
  page: Page;
  link: Link;
}

/** Opens a conversation in a browser whose connections pass a link that can be broken. */
async function openOverLink(t: Test, { port }: Served, id: string): Promise<Reached> {
  const link = await Link.to(port);
  t.teardown(() => link.close());
  const context = await (await openBrowser(t)).newContext({ locale: 'en-GB', reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto(`http://127.0.0.1:${link.port}`);
  await logIn(page);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  await page.goto(`http://127.0.0.1:${link.port}/chat/${id}`);
  await field(page).waitFor();
  return { context, page, link };
}

/** All processes of the browser stop, as on a laptop that is closed, for longer than a token lasts. */
async function sleeps(t: Test, { url, ask }: Served): Promise<void> {
  const { program } = findPart('chromium') as { program: string };
  const server = await chromium.launchServer({ executablePath: program, args: ['--no-sandbox'] });
  const pid = server.process().pid as number;
  t.teardown(() => server.kill());
  const page = await (await chromium.connect(server.wsEndpoint())).newPage({ locale: 'en-GB' });
  await page.goto(url);
  await logIn(page);
  await page.getByRole('navigation', { name: 'Pages' }).waitFor();
  const { id } = await begin(ask, 'Sleep');
  await page.goto(`${url}/chat/${id}`);
  await field(page).fill('half a thought');
  await pause(1_000);
  const asleep = processesBelow(pid);
  for (const each of asleep) process.kill(each, 'SIGSTOP');
  await ask('POST', '/api/chat/send', { session_id: id, content: 'Meanwhile' });
  await pause(66_000);
  for (const each of asleep) process.kill(each, 'SIGCONT');
  await message(page, 'Meanwhile').waitFor(patience);
  t.equal(await field(page).inputValue(), 'half a thought', 'asleep: the draft is there');
  await field(page).press('Enter');
  await message(page, 'half a thought').waitFor(patience);
  t.equal(await page.getByRole('dialog').count(), 0, 'asleep: nobody has to log in again');
  t.same(
    (await messagesOf(ask, id)).map(({ content }) => content),
    ['Meanwhile', 'half a thought'],
  );
}

/** The connections look alive and say nothing any more, while a reply is being written. */
async function isStranded(t: Test, served: Served, end: () => void): Promise<void> {
  const { id } = await begin(served.ask, 'Stranded', 'ai');
  const { page, link } = await openOverLink(t, served, id);
  await write(page, 'Go on');
  await message(page, 'word5 ').waitFor(patience);
  link.strand();
  const last = Number((await textOf(page)).match(/word(\d+)(?!.*word)/)?.[1]);
  // Another fifty words can only come over a new connection.
  await message(page, `word${last + 100} `).waitFor(patience);
  end();
  const [, reply] = await until(
    () => messagesOf(served.ask, id),
    ([, found]) => found?.status === 'completed',
  );
  const content = reply?.content ?? '';
  await message(page, content.slice(-14)).waitFor(patience);
  t.equal((await textOf(page)).split(content).length, 2, 'stranded: every word, once');
}

/** The network is gone for a minute, in which the member writes on. */
async function isOffline(t: Test, served: Served): Promise<void> {
  const { id } = await begin(served.ask, 'Offline');
  const { page, context, link } = await openOverLink(t, served, id);
  await context.setOffline(true);
  link.set({ kind: 'cut' });
  for (const text of ['first', 'second', 'third']) await write(page, text);
  await page.getByText('Not sent yet').nth(2).waitFor(patience);
  await page.getByText(noConnection).waitFor(patience);
  await page.reload().catch(() => undefined);
  await pause(60_000);
  link.heal();
  await context.setOffline(false);
  await page.goto(`http://127.0.0.1:${link.port}/chat/${id}`);
  await message(page, 'third').waitFor(patience);
  await page
    .getByText('Not sent yet')
    .first()
    .waitFor({ state: 'detached', ...patience });
  t.same(
    (await messagesOf(served.ask, id)).map(({ content }) => content),
    ['first', 'second', 'third'],
    'offline: in their order, and once',
  );
  t.equal(await page.getByRole('article').count(), 3);
}

/** Returns a process and all that it has started. */
function processesBelow(root: number): number[] {
  const parents = readdirSync('/proc').flatMap((name) => {
    try {
      // pid (name) state ppid: the name may hold spaces and parentheses.
      const [, parent = ''] = /\) \S (\d+)/.exec(readFileSync(`/proc/${Number(name)}/stat`, 'utf8')) ?? [];
      return [[Number(name), Number(parent)] as const];
    } catch {
      return [];
    }
  });
  const found = [root];
  for (const pid of found) for (const [child, parent] of parents) if (parent === pid) found.push(child);
  return found;
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
