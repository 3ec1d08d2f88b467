import { request } from 'node:http';
import type { Locator, Page } from 'playwright-core';
import t, { type Test } from 'tap';
import { skipWithout } from '../helpers/parts.js';
import { addresses } from './hostile/addresses.js';
import { image, type MarkdownCase, type RequestCase } from './hostile/case.js';
import { costly, markdown } from './hostile/markdown.js';
import { refused, requests } from './hostile/requests.js';
import { terminal } from './hostile/terminal.js';
import { walls } from './hostile/walls.js';
import { windows } from './hostile/windows.js';
import { go, startWorld, type World } from './hostile/world.js';

/** Waits until a place has a text. It may be out of sight, as where a list moves. */
async function expectText(place: Locator, shown: string): Promise<void> {
  await place.filter({ hasText: shown }).first().waitFor({ state: 'attached' });
}

/** Waits until an expression is true in the page, which evaluates no text by itself. */
async function until(page: Page, expression: string): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (await page.evaluate<boolean>(expression)) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It never becomes true: ${expression}`);
}

t.test('hostile content stays what it is: text', { skip: skipWithout('chromium') }, async (t) => {
  const world = await startWorld(t);
  const session = await world.app.ask<{ id: string }>('POST', '/api/chat/sessions', { title: 'Hostile', target_type: '' });
  await t.test('in requests', (t) => asked(t, world, session.id));
  await t.test('from windows elsewhere', (t) => fromElsewhere(t, world));
  await t.test('and if the app had a hole, its policy would hold', (t) => behindWalls(t, world));
  await t.test('in messages', (t) => messages(t, world, session.id));
  await t.test('in output of programs', (t) => programs(t, world));
  await t.test('in addresses', (t) => visits(t, world));
  t.notOk('polluted' in {}, "the server's objects are as they were");
});

async function messages(t: Test, world: World, session_id: string): Promise<void> {
  const { app, page, fill, note } = world;
  const open = async ({ text, shown = text, links, without }: MarkdownCase) => {
    const sent = await app.ask<{ message_id: string }>('POST', '/api/chat/send', { session_id, content: fill(text) });
    await go(page, `/chat/${session_id}/${sent.message_id}`);
    const article = page.locator(`article[data-key="${sent.message_id}"]`);
    await expectText(article, fill(shown));
    // The list may be drawing the message anew.
    const wanted = links && JSON.stringify(links.map(fill));
    const found = `JSON.stringify(Array.from(document.querySelectorAll('[data-key="${sent.message_id}"] .kit-markdown a'), ({ href }) => href))`;
    if (wanted !== undefined)
      await until(page, `${found} === ${JSON.stringify(wanted)}`).catch(async () =>
        note(`it has the links ${await page.evaluate<string>(found)}`),
      );
    if (without !== undefined && (await article.locator('.kit-markdown').locator(without).count()) > 0) note(`it has ${without}`);
  };
  await world.each(t, markdown, (tried) => open({ links: [], ...tried }));
  await world.each(t, costly, open);
  await world.each(t, [{ name: 'what a search marks is text', rule: 'CWE-79 (reflected)' }], async () => {
    await app.ask('POST', '/api/chat/send', { session_id, content: `needle ${image} <mark>needle</mark>` });
    await go(page, '/chat');
    await page.getByRole('searchbox', { name: 'Search messages' }).fill('needle');
    await expectText(page.locator('.chat-found'), `needle ${image} <mark>needle</mark>`);
    await page.getByRole('searchbox', { name: 'Search messages' }).fill('');
  });
}

async function programs(t: Test, world: World): Promise<void> {
  const { page, note } = world;
  await go(page, '/people');
  await page.evaluate(openTerminal);
  const frame = page.frameLocator('iframe[src="/assets/frames/terminal"]');
  const screen = frame.locator('.xterm-accessibility-tree');
  await until(page, 'terminal.heard.length > 0');
  let count = 0;
  await world.each(t, terminal, async ({ prints }) => {
    count += 1;
    await page.evaluate(`terminal.heard.length = 0; terminal.send({ type: 'clear' }); terminal.send({ type: 'ask', text: '> ' })`);
    await page.evaluate(`terminal.send({ type: 'print', data: ${JSON.stringify(`${prints}\r\nend ${count}.\r\n`)} })`);
    await screen.getByText(`end ${count}.`).waitFor();
    await frame.locator('textarea').press('Enter');
    await until(page, "terminal.heard.some(({ type }) => type === 'line')");
    const heard = await page.evaluate<string>('JSON.stringify(terminal.heard)');
    if (heard !== '[{"type":"line","text":""}]') note(`The frame says ${heard}`);
    const title = await frame.locator('html').evaluate('document.title');
    if (title !== 'Terminal') note(`The frame is called ${String(title)}`);
    // Back to what a person left.
    await page.evaluate(`terminal.send({ type: 'print', data: '\\u001bc' })`);
  });
  await page.evaluate('terminal.close()');
}

/** Opens the frame of the terminal in the app, as the page of a node does. */
const openTerminal = `(() => {
  const frame = document.createElement('iframe');
  const { port1, port2 } = new MessageChannel();
  const heard = [];
  port1.onmessage = ({ data }) => heard.push(data);
  const look = { font: 'monospace', size: 13, background: 'white', text: 'black', quiet: 'grey', accent: 'blue', selection: 'silver', danger: 'red', ok: 'green', warn: 'orange' };
  frame.onload = () => frame.contentWindow.postMessage({ type: 'begin', label: 'Terminal', look }, location.origin, [port2]);
  frame.src = '/assets/frames/terminal';
  frame.width = 800;
  frame.height = 400;
  document.body.append(frame);
  window.terminal = { heard, send: (message) => port1.postMessage(message), close: () => frame.remove() };
})()`;

async function visits(t: Test, world: World): Promise<void> {
  const { app, page, note } = world;
  await world.each(t, addresses, async ({ path }) => {
    await page.goto(app.url + path);
    await page.getByRole('navigation', { name: 'Pages' }).waitFor();
    if (!page.url().startsWith(`${app.url}/`)) note(`It leads to ${page.url()}`);
  });
}

async function asked(t: Test, world: World, session_id: string): Promise<void> {
  const { app } = world;
  const { message_id } = await app.ask<{ message_id: string }>('POST', '/api/chat/send', { session_id, content: 'one' });
  await world.each(t, [...refused, ...requests], (tried) =>
    checked(world, { ...tried, path: tried.path.replace('{message}', message_id) }),
  );
}

/** Sends a request as it is written, which `fetch` would not do, and compares the answer. */
async function checked({ app, note, token }: World, tried: RequestCase): Promise<void> {
  const { method = 'GET', path, body, as, status, answers: wanted = {}, says, hides } = tried;
  const text = typeof body === 'object' ? JSON.stringify(body) : (body ?? '');
  const headers = {
    ...(typeof body === 'object' && { 'content-type': 'application/json' }),
    ...(as && { authorization: `Bearer ${await token(as)}` }),
    ...tried.headers,
    'content-length': Buffer.byteLength(text),
  };
  const { hostname, port } = new URL(app.url);
  const answer = await new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers, agent: false }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(pieces).toString() }),
      );
    });
    sent.on('error', reject);
    sent.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve({ status: statusCode, headers: {}, text: '' });
    });
    sent.end(text);
  });
  if (answer.status !== status) note(`The status is ${answer.status}: ${answer.text.slice(0, 200)}`);
  for (const [name, pattern] of Object.entries(wanted)) {
    const value = answer.headers[name];
    if (pattern === null ? value !== undefined : !pattern.test(String(value))) note(`${name} is ${String(value)}`);
  }
  if (says && !says.test(answer.text)) note(`It says ${answer.text.slice(0, 200)}`);
  if (hides?.test(answer.text)) note(`It shows ${hides.exec(answer.text)?.[0]}`);
}

async function fromElsewhere(t: Test, world: World): Promise<void> {
  const { admin, app, page, tracker, fill, note } = world;
  const attacker = await admin.tab();
  await attacker.goto(`${tracker.url}/attack`);
  const run = async ({ code, finds }: (typeof windows)[number]) => {
    const found = await attacker.evaluate<string>(`(async () => { ${fill(code)} })()`);
    if (found !== finds) note(`It finds ${found}`);
  };
  await world.each(t, windows, run, { isLoud: true });
  const framed = ['/chat', '/assets/frames/terminal', '/docs'].map((path) => ({ name: `does not frame ${path}`, rule: 'CWE-1021', path }));
  await world.each(t, framed, (tried) => assertUnframed(attacker, app.url + tried.path, note), { isLoud: true });
  await attacker.close();
  await world.each(t, [{ name: 'leaves the login as it was', rule: 'CWE-352' }], async () => {
    await page.goto('/people');
    await page.getByRole('heading', { name: 'People' }).waitFor();
  });
}

async function assertUnframed(attacker: Page, url: string, note: World['note']): Promise<void> {
  await attacker.evaluate(`new Promise((resolve) => {
    document.querySelector('iframe')?.remove();
    const frame = Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(url)} });
    frame.onload = frame.onerror = resolve;
    document.body.append(frame);
  })`);
  const shown = attacker.frames().at(-1)?.url() ?? '';
  if (!shown.startsWith('chrome-error:')) note(`The frame shows ${shown}`);
}

async function behindWalls(t: Test, { admin, each, fill, note }: World): Promise<void> {
  const page = await admin.tab();
  await page.goto('/people');
  await page.getByRole('heading', { name: 'People' }).waitFor();
  const run = async ({ code, stopped }: (typeof walls)[number]) => {
    const found = await page.evaluate<string>(`new Promise((resolve) => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective), { once: true });
      setTimeout(resolve, 5_000, 'nothing');
      try { (() => { ${fill(code)} })(); } catch (error) { resolve(error.name); }
    })`);
    if (!new RegExp(stopped).test(found)) note(`It is stopped by ${found}`);
  };
  await each(t, walls, run, { isLoud: true });
  await page.close();
}
