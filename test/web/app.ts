import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Test } from 'tap';
import { adminPassword, type PlatformOptions, startPlatform, type TestPlatform } from '../helpers/platform.js';
import { openBrowser } from '../helpers/web.js';

export interface App extends TestPlatform {
  /** Opens a browser profile of its own, as one person has it. */
  person(options?: BrowserContextOptions): Promise<Person>;
  /** Calls the API as the administrator. */
  ask<Answer>(method: string, path: string, body?: object): Promise<Answer>;
}

/** A person's browser, and what went wrong in it. */
export interface Person {
  context: BrowserContext;
  /** Opens another tab. */
  tab(): Promise<Page>;
  /** Logs in on a tab, by the form. */
  logIn(page: Page, username: string, password: string): Promise<void>;
  /** Lines of the console that are warnings or errors, faults of scripts, and violations of the content policy. */
  readonly complaints: string[];
  /** Origins that any tab has asked. */
  readonly origins: Set<string>;
}

/** Starts a platform with all extensions and a browser; ends both after the test. */
export async function startApp(t: Test, options: PlatformOptions = {}): Promise<App> {
  const platform = await startPlatform(t, options);
  const browser = await openBrowser(t);
  const ask = askerAt(platform.url);
  const person = async (more: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      baseURL: platform.url,
      locale: 'en-GB',
      timezoneId: 'Europe/Berlin',
      reducedMotion: 'reduce',
      ...more,
    });
    t.teardown(() => context.close());
    return watched(context);
  };
  return { ...platform, person, ask };
}

/** Returns a function that calls the API of a platform as its administrator, or as another member. */
export function askerAt(url: string, username = 'admin', password = adminPassword): App['ask'] {
  let token: Promise<string> | undefined;
  const send = async (method: string, path: string, body?: object) => {
    token ??= logInAt(url, { username, password });
    const headers = { authorization: `Bearer ${await token}`, 'content-type': 'application/json' };
    return fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  };
  return async <Answer>(method: string, path: string, body?: object): Promise<Answer> => {
    let answer = await send(method, path, body);
    if (answer.status === 401) {
      // It has expired.
      token = undefined;
      answer = await send(method, path, body);
    }
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  };
}

async function watched(context: BrowserContext): Promise<Person> {
  const complaints: string[] = [];
  const origins = new Set<string>();
  await context.exposeBinding('reportViolation', (_source, text: string) => void complaints.push(text));
  // As text: these tests are compiled without the names of browsers.
  await context.addInitScript(`document.addEventListener('securitypolicyviolation', (event) =>
    reportViolation('policy: ' + event.effectiveDirective + ' ' + event.blockedURI + ' ' + event.sample))`);
  context.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol !== 'blob:' && protocol !== 'data:') origins.add(origin);
  });
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(`${message.type()}: ${message.text()}`);
  });
  context.on('weberror', (fault) => complaints.push(`fault: ${fault.error().message}`));
  return {
    context,
    complaints,
    origins,
    tab: () => context.newPage(),
    async logIn(page, username, password) {
      await page.goto('/');
      await page.getByLabel('User name').fill(username);
      await page.getByLabel('Password', { exact: true }).fill(password);
      await page.getByRole('button', { name: 'Log in' }).click();
      await page.getByRole('navigation').first().waitFor();
    },
  };
}

async function logInAt(url: string, login: { username: string; password: string }): Promise<string> {
  const body = JSON.stringify(login);
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return ((await answer.json()) as { access_token: string }).access_token;
}
