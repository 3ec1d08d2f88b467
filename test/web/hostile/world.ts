import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import type { Test } from 'tap';
import { adminPassword } from '../../helpers/platform.js';
import { type App, type Person, startApp } from '../app.js';
import { type HostileCase, image } from './case.js';

/** A server of another origin, which nobody may ask; it serves an empty page to those who attack from there. */
export interface Tracker {
  url: string;
  hits: string[];
}

export interface World {
  app: App;
  tracker: Tracker;
  admin: Person;
  /** The administrator's tab. */
  page: Page;
  /** Id of a member who means no good. */
  mallory: number;
  token: (who: Name) => Promise<string>;
  /** Sends a request of a member: JSON, or a form. */
  as: (who: Name, method: string, path: string, body?: object) => Promise<Response>;
  /** Writes down that something is not as it has to be. */
  note: (fault: string) => void;
  /** Puts the addresses in. */
  fill: (text: string) => string;
  /** Runs through cases on the tab; after each one nothing has run, asked elsewhere, complained, or changed what it must not. */
  each: <Case extends HostileCase>(
    t: Test,
    cases: readonly Case[],
    run: (tried: Case) => Promise<void>,
    options?: EachOptions,
  ) => Promise<void>;
}

export type Name = 'admin' | 'mallory';

interface EachOptions {
  /** Whether the page may say in its console that something was refused. */
  isLoud?: boolean;
}

/** Waits for what has to appear, and no longer: a page that hangs fails its case. */
const patience_ms = 30_000;

export async function startWorld(t: Test): Promise<World> {
  const tracker = await startTracker(t);
  const app = await startApp(t);
  const admin = await app.person({ permissions: ['notifications'], acceptDownloads: true });
  const { context, complaints } = admin;
  await context.exposeBinding('__ran', ({ frame }) => void complaints.push(`ran: ${frame.url().slice(0, 100)}`));
  context.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message().slice(0, 100)}`);
    void dialog.dismiss();
  });
  context.setDefaultTimeout(patience_ms);
  const page = await admin.tab();
  await admin.logIn(page, 'admin', adminPassword);
  const { id: mallory } = await app.ask<{ id: number }>('POST', '/api/members', {
    username: 'mallory',
    password: adminPassword,
    nickname: `Mallory ${image}`,
  });
  const { token, as } = callers(app.url);
  const faults: string[] = [];
  const fill = (text: string) => text.replaceAll('TRACKER', tracker.url).replaceAll('APP', app.url);
  const each: World['each'] = async (t, cases, run, { isLoud = false } = {}) => {
    for (const tried of cases) {
      await run(tried).catch((error: unknown) => faults.push(String(error).split('\n').slice(0, 4).join(' ').slice(0, 600)));
      const complained = complaints
        .splice(0)
        .filter((text) => (isLoud ? /^(?:ran|dialog)/.test(text) : !text.includes('Failed to load resource')));
      const seen = page.url().startsWith(app.url)
        ? await page.evaluate<string[]>(inspection).catch((error: unknown) => [String(error).slice(0, 200)])
        : ['The page has left the app'];
      t.strictSame([...faults.splice(0), ...complained, ...tracker.hits.splice(0), ...seen], [], `${tried.name} (${tried.rule})`);
    }
  };
  return { app, tracker, admin, page, mallory, token, as, note: (fault) => void faults.push(fault), fill, each };
}

function callers(url: string): Pick<World, 'token' | 'as'> {
  const tokens = new Map<Name, Promise<string>>();
  const logIn = async (username: Name) => {
    const body = JSON.stringify({ username, password: adminPassword });
    const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    return ((await answer.json()) as { access_token: string }).access_token;
  };
  const token = (who: Name) => {
    const known = tokens.get(who) ?? logIn(who);
    tokens.set(who, known);
    return known;
  };
  const as: World['as'] = async (who, method, path, body) => {
    const isForm = body instanceof FormData;
    const headers = { authorization: `Bearer ${await token(who)}`, ...(body && !isForm && { 'content-type': 'application/json' }) };
    return fetch(url + path, { method, headers, ...(body && { body: isForm ? body : JSON.stringify(body) }) });
  };
  return { token, as };
}

async function startTracker(t: Test): Promise<Tracker> {
  const hits: string[] = [];
  const server = createServer((request, response) => {
    const isBase = request.url === '/attack';
    if (!isBase && request.url !== '/favicon.ico') hits.push(`asked: ${request.method} ${request.url}`);
    response.writeHead(200, { 'content-type': 'text/html', 'access-control-allow-origin': '*' });
    response.end('<!doctype html><title>elsewhere</title><link rel="icon" href="data:,">');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, hits };
}

/** Shows another page of the app without loading it anew. */
export async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`);
}

/** Finds in a document what no text may bring into it. As text: these tests are compiled without the names of browsers. */
const inspection = `(() => {
  const found = new Set();
  const address = /^(?:https?:|mailto:|blob:|data:image\\/|data:,|\\/(?![/\\\\])|#|$)/i;
  for (const element of document.querySelectorAll('body *')) {
    const { localName, attributes } = element;
    if (['script', 'style', 'link', 'base', 'meta', 'object', 'embed', 'frame', 'applet', 'portal', 'math'].includes(localName)) found.add('element ' + localName);
    if (localName === 'iframe' && !element.src.startsWith(location.origin + '/assets/frames/')) found.add('frame ' + element.src);
    if (localName === 'img' && !/^(?:blob:|data:image\\/)/.test(element.src)) found.add('image ' + element.src);
    for (const { name, value } of attributes) {
      if (/^on/i.test(name) || name === 'srcdoc' || name === 'nonce') found.add('attribute ' + name);
      if (/^(?:href|src|action|formaction|xlink:href|data|poster|background|ping)$/.test(name) && !address.test(value)) found.add(name + ' ' + value);
    }
    if (element.target === '_blank' && !/noreferrer|noopener/.test(element.rel)) found.add('opener ' + element.href);
  }
  for (const key in {}) found.add('prototype ' + key);
  if (document.querySelector('.shell') === null) found.add('the app has gone');
  if (window.opener) found.add('opener');
  return [...found];
})()`;
