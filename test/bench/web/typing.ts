import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext } from 'playwright-core';
import { percentile } from '../statistics.js';
import { openTab, type Tab } from './browser.js';
import { plainField } from './control.js';
import type { WebExtent } from './extent.js';
import type { WebServer } from './server.js';

type Row = Record<string, unknown>;

/** Pauses between keys of a person who types fast, in ms. */
const pause_ms = { least: 60, more: 80 };
/** Letters as texts have them; no key that sends or chooses. */
const letters = 'etaoin shrdlu cmfwyp vbgk';

/** Notes for each key the time from the key until the next frame is drawn. */
const watch = `(() => {
  window.taken = [];
  addEventListener('keydown', ({ timeStamp }) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => window.taken.push(performance.now() - timeStamp);
      port2.postMessage(0);
    });
  }, { capture: true });
})()`;

/**
 * Types into the field of a long conversation while AI employees answer there, and into an empty field on a plain page; the answers go on at
 * the server meanwhile. In turns, because the machine has moods.
 */
export async function typing(
  { browser, profile, server }: { browser: Browser; profile: BrowserContext; server: WebServer },
  extent: Pick<WebExtent, 'rounds' | 'keys' | 'messages'>,
): Promise<Row> {
  const app: number[] = [];
  const plain: number[] = [];
  for (let round = 0; round < extent.rounds; round += 1) {
    const stranger = await browser.newContext();
    plain.push(...(await typeAt(stranger, { address: plainField(server.control), field: '#field' }, extent.keys)));
    await stranger.close();
    app.push(...(await typeAt(profile, { address: `${server.url}/chat/${server.long}`, field: '.chat-composer textarea' }, extent.keys)));
  }
  const at = (values: readonly number[]) => percentile(values, 0.98);
  return {
    what: 'typing while five replies stream',
    messages: extent.messages,
    keys: app.length,
    ms_median: percentile(app, 0.5),
    ms_p98: at(app),
    limit_ms_median: percentile(plain, 0.5),
    limit_ms_p98: at(plain),
    ratio: at(app) / at(plain),
    aim_ms: 50,
  };
}

async function typeAt(profile: BrowserContext, { address, field }: { address: string; field: string }, keys: number): Promise<number[]> {
  const tab = await openTab(profile);
  await tab.page.addInitScript(watch);
  await tab.page.goto(address);
  await tab.page.locator(field).first().focus();
  if (field !== '#field') await untilStreaming(tab);
  for (let n = 0; n < keys; n += 1) {
    await tab.page.keyboard.press(letters[n % letters.length] === ' ' ? 'Space' : (letters[n % letters.length] as string));
    await sleep(pause_ms.least + Math.random() * pause_ms.more);
  }
  const taken = (await tab.page.evaluate('window.taken')) as number[];
  await tab.page.close();
  return taken;
}

const streaming = '.chat-growing';

/** Waits until a reply is being written in sight. */
async function untilStreaming({ page }: Tab): Promise<void> {
  await page.locator(streaming).first().waitFor({ state: 'attached', timeout: 60_000 });
}
