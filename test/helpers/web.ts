import { join } from 'node:path';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { Test } from 'tap';
import { findPart } from './parts.js';
import { adminPassword } from './platform.js';

/** Imports a module of the web app that needs no browser. */
export async function importWeb<Module>(source: string): Promise<Module> {
  const { outputFiles } = await build({
    entryPoints: [join(process.cwd(), 'web', source)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'silent',
  });
  return (await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0]?.contents ?? '').toString('base64')}`)) as Module;
}

/** A real browser; closed after the test. Needs the part `chromium`. */
export async function openBrowser(t: Test): Promise<Browser> {
  const { program } = findPart('chromium') as { program: string };
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  return browser;
}

/** A window of one person: its tabs share cookies and storage. `faults` holds what its pages complained about. */
export interface Person {
  context: BrowserContext;
  faults: string[];
  /** Opens a tab. */
  tab: (path?: string) => Promise<Page>;
}

export async function openPerson(browser: Browser, url: string): Promise<Person> {
  const context = await browser.newContext({ locale: 'en-GB', reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
  const faults: string[] = [];
  context.on('weberror', (error) => faults.push(String(error.error())));
  context.on('console', (message) => {
    if (message.type() === 'error' && !isExpected(message.text())) faults.push(message.text());
  });
  const tab = async (path = '/') => {
    const page = await context.newPage();
    await page.goto(url + path);
    return page;
  };
  return { context, faults, tab };
}

/** Fills in the log-in view. */
export async function logIn(page: Page, username = 'admin', password = adminPassword): Promise<void> {
  await page.getByLabel('User name').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Log in' }).click();
}

/** Browsers report each refused request themselves. */
function isExpected(text: string): boolean {
  return /^Failed to load resource|WebSocket connection to/.test(text);
}
