import type { Browser } from 'playwright-core';
import { median } from '../statistics.js';
import { countBytes, forgetFiles, logInByForm, openProfile, openTab, slow, timeUntil } from './browser.js';
import { plainPage } from './control.js';
import type { WebServer } from './server.js';

type Row = Record<string, unknown>;

interface Visit {
  ms: number;
  bytes: number;
}

const log_in = ['input[name=password]'];
/** A message that Markdown has drawn, and the field in which one writes. */
const conversation = ['.chat-message .kit-markdown', '.chat-composer textarea'];
const kib = 1024;

/** Times of first and further visits on a slow machine and network, beside a plain page of as many bytes. */
export async function visits(browser: Browser, server: WebServer, count: number): Promise<Row[]> {
  const [address, here] = [server.url, `${server.url}/chat/${server.others[0]}`];
  const first: Visit[] = [];
  const cold: Visit[] = [];
  const warm: Visit[] = [];
  const plain: { log_in: number[]; cold: number[] } = { log_in: [], cold: [] };
  for (let n = 0; n < count; n += 1) {
    const stranger = await openProfile(browser);
    first.push(await visit(stranger, address, log_in));
    await stranger.close();
    plain.log_in.push(await visitPlain(browser, server, first[n]?.bytes ?? 0));
    const member = await openProfile(browser);
    await logInByForm(member, address);
    await forgetFiles(member);
    cold.push(await visit(member, here, conversation));
    warm.push(await visit(member, here, conversation));
    await member.close();
    plain.cold.push(await visitPlain(browser, server, cold[n]?.bytes ?? 0));
  }
  const warm_ms = median(warm.map(({ ms }) => ms));
  return [
    rowOf('log-in, first visit', { app: first, plain: plain.log_in, aim_ms: 1_500 }),
    rowOf('conversation, first visit', { app: cold, plain: plain.cold, aim_ms: 3_000 }),
    { what: 'conversation, further visit', ms: warm_ms, aim_ms: 1_000 },
  ];
}

async function visit(profile: Awaited<ReturnType<typeof openProfile>>, address: string, selectors: readonly string[]): Promise<Visit> {
  const tab = await openTab(profile, slow);
  const bytes = countBytes(tab.page);
  const ms = await timeUntil(tab, address, selectors);
  const found = { ms, bytes: await bytes() };
  await tab.page.close();
  return found;
}

async function visitPlain(browser: Browser, { control }: WebServer, bytes: number): Promise<number> {
  const profile = await openProfile(browser);
  const { ms } = await visit(profile, plainPage(control, bytes), ['#ready']);
  await profile.close();
  return ms;
}

function rowOf(what: string, { app, plain, aim_ms }: { app: readonly Visit[]; plain: readonly number[]; aim_ms: number }): Row {
  return {
    what,
    kib: median(app.map(({ bytes }) => bytes)) / kib,
    ms: median(app.map(({ ms }) => ms)),
    limit_ms: median(plain),
    ratio: median(app.map(({ ms }, n) => ms / (plain[n] as number))),
    aim_ms,
  };
}
