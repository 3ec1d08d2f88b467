import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type BrowserContext, type CDPSession, chromium, type Page } from 'playwright-core';
import { findPart } from '../../helpers/parts.js';
import { password } from '../log-in.js';

/** Slows a page down: its processor by so many times, and its network. */
export interface Slowness {
  cpu: number;
  /** Bits a second in each direction, and the time of a round trip. */
  network?: { bits_per_s: number; ms: number };
}

/** A middling phone on a mobile network. */
export const slow: Slowness = { cpu: 4, network: { bits_per_s: 1_600_000, ms: 150 } };

/** Opens a real browser. */
export async function openBrowser(): Promise<Browser> {
  const found = findPart('chromium');
  if (!found || !('program' in found)) throw new Error('The web app is measured in a browser: Chromium is missing');
  return chromium.launch({ executablePath: found.program, args: ['--no-sandbox'] });
}

export const openProfile = (browser: Browser): Promise<BrowserContext> =>
  browser.newContext({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });

/** A tab, with the protocol of its developer tools. */
export interface Tab {
  page: Page;
  cdp: CDPSession;
}

export async function openTab(profile: BrowserContext, { cpu, network }: Slowness = { cpu: 1 }): Promise<Tab> {
  const page = await profile.newPage();
  const cdp = await profile.newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: cpu });
  if (network) {
    const bytes_per_s = network.bits_per_s / 8;
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: network.ms,
      downloadThroughput: bytes_per_s,
      uploadThroughput: bytes_per_s,
    });
  }
  return { page, cdp };
}

/** Logs the administrator in, by the form. */
export async function logInByForm(profile: BrowserContext, url: string): Promise<void> {
  const page = await profile.newPage();
  await page.goto(url);
  await page.locator('input[name=username]').fill('admin');
  await page.locator('input[name=password]').fill(password);
  await page.keyboard.press('Enter');
  await page.getByRole('navigation').first().waitFor();
  await page.close();
}

/** Empties the browser's cache, so that the next visit is the first one. */
export async function forgetFiles(profile: BrowserContext): Promise<void> {
  const { page, cdp } = await openTab(profile);
  await cdp.send('Network.clearBrowserCache');
  await page.close();
}

/** Counts the bytes of bodies as they are sent, each address once; without calls of operations. */
export function countBytes(page: Page): () => Promise<number> {
  const sizes = new Map<string, Promise<number>>();
  page.on('requestfinished', (request) => {
    const { pathname, protocol } = new URL(request.url());
    if (protocol !== 'http:' || /^\/(api|ws)\b/.test(pathname) || sizes.has(pathname)) return;
    sizes.set(
      pathname,
      request.sizes().then(
        ({ responseBodySize }) => Math.max(0, responseBodySize),
        () => 0,
      ),
    );
  });
  return async () => (await Promise.all(sizes.values())).reduce((sum, size) => sum + size, 0);
}

/**
 * Opens an address and returns the time from the beginning of the navigation until the frame is drawn in which all selectors find something
 * visible.
 */
export async function timeUntil({ page }: Tab, address: string, selectors: readonly string[]): Promise<number> {
  await page.addInitScript(`{
    const isThere = (selector) => document.querySelector(selector)?.getClientRects().length > 0;
    window.allThere = new Promise((resolve) => {
      const look = () => {
        if (${JSON.stringify(selectors)}.every(isThere)) setTimeout(() => resolve(performance.now()));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  }`);
  await page.goto(address, { waitUntil: 'commit' });
  return within(page.evaluate<number>('window.allThere'), `${selectors.join(' and ')} at ${address}`);
}

const patience_ms = 60_000;

/** Rejects if something takes longer than anybody would wait. */
export async function within<Found>(finding: Promise<Found>, what: string): Promise<Found> {
  const end = new AbortController();
  const late = sleep(patience_ms, undefined, { signal: end.signal }).then(() => {
    throw new Error(`Nothing was drawn for ${what}`);
  });
  try {
    return await Promise.race([finding, late]);
  } finally {
    late.catch(() => undefined);
    end.abort();
  }
}
