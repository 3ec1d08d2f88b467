import { Child } from './child.js';
import { logInByForm, openBrowser, openProfile } from './web/browser.js';
import { type WebExtent, whole } from './web/extent.js';
import { memory } from './web/memory.js';
import { startModel } from './web/replies.js';
import type { WebOrder, WebServer } from './web/server.js';
import { serverCost } from './web/server-cost.js';
import { switching } from './web/switching.js';
import { typing } from './web/typing.js';
import { visits } from './web/visits.js';

type Row = Record<string, unknown>;

/** Time that a reply takes; the next round begins when all of one have ended. */
const reply_seconds = 20;

/** Measures the web app in a real browser, and its cost for the server. */
export async function web(extent: WebExtent = whole): Promise<Row[]> {
  const cost = await serverCost(extent.starts);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const model = await startModel(reply_seconds);
    ends.push(() => model.stop());
    const { child, ready: server } = await Child.start<WebServer>('./web/server.js', [
      model.url,
      String(extent.messages),
      String(extent.conversations),
    ]);
    ends.push(() => child.stop());
    const browser = await openBrowser();
    ends.push(() => browser.close());
    const rows = await visits(browser, server, extent.visits);
    const profile = await openProfile(browser);
    await logInByForm(profile, server.url);
    rows.push(...(await switching(profile, server)));
    await child.ask('stream' satisfies WebOrder);
    rows.push(await typing({ browser, profile, server }, extent));
    await child.ask('stop' satisfies WebOrder);
    rows.push(await memory(profile, { child, server, minutes: extent.minutes }));
    return [...rows, ...cost];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
