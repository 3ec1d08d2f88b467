import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { median } from '../statistics.js';
import { openTab, type Slowness, slow, within } from './browser.js';
import type { WebServer } from './server.js';

type Row = Record<string, unknown> & { what: string };

/** Time for what a switch starts besides: marks as read, streams, presence. */
const rest_ms = 1_500;

/** Notes when a press was made. */
const watch = `addEventListener('pointerdown', ({ timeStamp }) => (window.pressedAt = timeStamp), { capture: true })`;

/**
 * Opens one conversation after the other from the list on a slow network, from the press until a message is drawn, beside the request for its
 * messages alone. Each is opened twice: the second time it was there before. Then all again on a slow processor.
 */
export async function switching(profile: BrowserContext, server: WebServer): Promise<Row[]> {
  return [
    ...(await switchesAt({ ...slow, cpu: 1 }, profile, server)),
    ...(await switchesAt(slow, profile, server)).map((row) => ({ ...row, what: `${row.what}, slow processor` })),
  ];
}

async function switchesAt(slowness: Slowness, profile: BrowserContext, { url, token, others }: WebServer): Promise<Row[]> {
  const { page } = await openTab(profile, slowness);
  await page.addInitScript(watch);
  await page.goto(`${url}/chat/${others[0]}`);
  await page.locator('.chat-message').first().waitFor();
  await sleep(rest_ms);
  const alone: number[] = [];
  const first: number[] = [];
  const again: number[] = [];
  for (const id of others.slice(1)) {
    alone.push(await request(page, token, id));
    first.push(await switchTo(page, id));
  }
  for (const id of others.slice(1)) again.push(await switchTo(page, id));
  await page.close();
  return [
    {
      what: 'switching to another conversation',
      ms: median(first),
      limit_ms: median(alone),
      ratio: median(first.map((ms, n) => ms / (alone[n] as number))),
    },
    {
      what: 'switching back to one',
      ms: median(again),
      limit_ms: median(alone),
      ratio: median(again.map((ms, n) => ms / (alone[n] as number))),
    },
  ];
}

/** Returns the time of the request that a switch needs, until its answer can be used. */
async function request(page: Page, token: string, id: string): Promise<number> {
  const address = `/api/chat/messages?session_id=${id}&threads=roots&limit=50`;
  return (await page.evaluate(`(async () => {
    const begun = performance.now();
    const answer = await fetch(${JSON.stringify(address)}, { headers: { authorization: 'Bearer ${token}' } });
    await answer.json();
    return performance.now() - begun;
  })()`)) as number;
}

async function switchTo(page: Page, id: string): Promise<number> {
  await page.locator(`.kit-row-main[href$="/chat/${id}"]`).click();
  const drawn = page.evaluate<number>(`(async () => {
    const drawn = () => document.querySelector('article[data-key^="${messagesOf(id)}"]')?.getClientRects().length > 0;
    while (!drawn()) await new Promise(requestAnimationFrame);
    await new Promise((resolve) => setTimeout(resolve));
    return performance.now() - window.pressedAt;
  })()`);
  const ms = await within(drawn, `a message of ${id}`);
  await sleep(rest_ms);
  return ms;
}

/** The beginning of the ids of a room's messages, as `RoomsTable` writes them. */
function messagesOf(room: string): string {
  return `${room.slice(0, 24)}${room.slice(-2)}`;
}
