import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext } from 'playwright-core';
import type { Child } from '../child.js';
import { openTab, type Tab } from './browser.js';
import type { WebOrder, WebServer } from './server.js';

type Row = Record<string, unknown>;

interface Held {
  heap_mb: number;
  nodes: number;
  listeners: number;
}

/** The share of the time after which it is looked at for the first time: until then caches fill. */
const warm = 0.3;

/** Memory of a tab after five AI employees have answered in it for a while, and after they have for as long as is asked. */
export async function memory(
  profile: BrowserContext,
  { child, server, minutes }: { child: Child; server: WebServer; minutes: number },
): Promise<Row> {
  const tab = await openTab(profile);
  await tab.page.goto(`${server.url}/chat/${server.long}`);
  await tab.page.locator('.chat-message').first().waitFor();
  await streamFor(child, minutes * warm);
  const before = await held(tab);
  await streamFor(child, minutes * (1 - warm));
  const after = await held(tab);
  await tab.page.close();
  return {
    what: 'memory of a tab while replies stream',
    minutes,
    heap_mb_before: before.heap_mb,
    heap_mb_after: after.heap_mb,
    nodes_before: before.nodes,
    nodes_after: after.nodes,
    listeners_before: before.listeners,
    listeners_after: after.listeners,
    heap_growth: after.heap_mb / before.heap_mb,
    nodes_growth: after.nodes / before.nodes,
    listeners_growth: after.listeners / before.listeners,
  };
}

/** Lets replies stream, and waits for the end of those that have begun. */
async function streamFor(child: Child, minutes: number): Promise<void> {
  await child.ask('stream' satisfies WebOrder);
  await sleep(minutes * 60_000);
  await child.ask('stop' satisfies WebOrder);
}

async function held({ page, cdp }: Tab): Promise<Held> {
  await sleep(2_000);
  // Objects that a finalizer holds go with the second collection.
  for (let n = 0; n < 3; n += 1) await cdp.send('HeapProfiler.collectGarbage');
  const { usedSize } = await cdp.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await cdp.send('Memory.getDOMCounters');
  await page.bringToFront();
  return { heap_mb: usedSize / 2 ** 20, nodes, listeners: jsEventListeners };
}
