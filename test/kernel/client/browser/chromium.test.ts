import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { chromium, type Page } from 'playwright-core';
import t, { type Test } from 'tap';
import type * as ClientModule from '../../../../kernel/client/browser/index.js';
import type { BrowserApi, BrowserTransport, Client, LineState, Live } from '../../../../kernel/client/browser/index.js';
import type { SystemApi } from '../../../../kernel/contract/system.js';
import { type PlatformApi, withModel } from '../../../extensions/chat/world.js';
import { until } from '../../../helpers/eventually.js';
import { Link } from '../../../helpers/link.js';
import { findPart, skipWithout } from '../../../helpers/parts.js';
import { adminPassword, ownExtension, startPlatform } from '../../../helpers/platform.js';

type Api = BrowserApi<PlatformApi & SystemApi>;

/** Globals of the page. */
interface PageGlobals {
  location: { origin: string };
  platform: typeof ClientModule;
  token: string | undefined;
  renewals: number;
  transport: BrowserTransport;
  client: Client<Api>;
  operations: Record<string, ClientModule.OperationData>;
  live: Live;
  lives: LineState[];
  cursors: string[];
  text: string;
  lines: string[];
  ended: boolean;
}

/** A page at the origin of a server, with the client for pages. */
async function openPage(t: Test, url: string): Promise<Page> {
  const { outputFiles } = await build({
    stdin: { contents: "export * from './kernel/client/browser/index.js';", resolveDir: process.cwd() },
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'platform',
    platform: 'browser',
  });
  const { program } = findPart('chromium') as { program: string };
  const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] });
  t.teardown(() => browser.close());
  // The policy of the platform's own pages would refuse the script. A page that Playwright makes up may open no WebSocket.
  const page = await browser.newPage({ bypassCSP: true });
  await page.goto(`${url}/healthz`);
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  return page;
}

t.test('a page in a browser uses the platform', { skip: skipWithout('chromium') }, async (t) => {
  const { model, options } = await withModel(t);
  const { url: address } = await startPlatform(t, { ...options, extensions: ['members', 'chat', 'agents'].map(ownExtension) });
  const link = await Link.to(Number(new URL(address).port));
  t.teardown(() => link.close());
  const url = `http://127.0.0.1:${link.port}`;
  const page = await openPage(t, url);

  await t.test('logs in with a session, reads the catalog and lists', async (t) => {
    const names = await page.evaluate(async (password) => {
      const app = globalThis as unknown as PageGlobals;
      const { browser, connect, entryOperation } = app.platform;
      app.renewals = 0;
      const renew = async () => {
        app.renewals += 1;
        app.token = (await entry.auth.refresh({})).access_token;
        return app.token;
      };
      app.transport = browser({ url: app.location.origin, token: () => app.token, renew });
      const entries = {
        'auth.login': entryOperation('POST', '/api/auth/login', 'public'),
        'auth.refresh': entryOperation('POST', '/api/auth/refresh', 'public'),
        'catalog.get': entryOperation('GET', '/api/catalog'),
      };
      const entry = connect<Api>(entries, app.transport);
      app.token = (await entry.auth.login({ username: 'admin', password, session: 'cookie' })).access_token;
      app.operations = (await entry.catalog.get()).operations;
      app.client = connect<Api>(app.operations, app.transport);
      return (await app.client.members.list({})).items.map(({ username }) => username);
    }, adminPassword);
    t.ok(names.includes('admin'));
  });

  await t.test('a page without a valid token gets one from its session, once for all calls', async (t) => {
    const found = await page.evaluate(async () => {
      const app = globalThis as unknown as PageGlobals;
      app.token = undefined;
      await Promise.all([app.client.auth.me(), app.client.members.seats()]);
      const { renewals: before } = app;
      app.token = 'expired';
      const [{ username }] = await Promise.all([app.client.auth.me(), app.client.members.seats()]);
      return { username, before, renewals: app.renewals };
    });
    t.same(found, { username: 'admin', before: 1, renewals: 2 });
  });

  await t.test('failures have their code, message and details', async (t) => {
    const failure = await page.evaluate(async () => {
      const app = globalThis as unknown as PageGlobals;
      return app.client.chat.send({ content: '' }).then(
        () => undefined,
        (thrown) => app.platform.isFailure(thrown) && { code: thrown.code, status: thrown.status, details: thrown.details },
      );
    });
    t.match(failure, { code: 'invalid_input', status: 400, details: [{ path: 'content' }] });
  });

  await t.test('a reply and the live frames survive breaks of the line without loss or doubles', async (t) => {
    const words = Array.from({ length: 150 }, (_, n) => `${n} `);
    model.script(async (exchange) => {
      for (const word of words) {
        exchange.text(word);
        await sleep(15);
      }
      exchange.finish();
    });
    await page.evaluate(async () => {
      const app = globalThis as unknown as PageGlobals;
      Object.assign(app, { text: '', lines: [], lives: [], cursors: [], ended: false });
      app.live = app.transport.live();
      app.live.watch(() => app.lives.push(app.live.state));
      app.live.listen(({ cursor, type }) => cursor !== undefined && type !== 'hello' && app.cursors.push(cursor));
      const { message_id } = await app.client.chat.send({ content: 'Count', target_type: 'ai', target_id: '' });
      const events = app.client.messages.stream({ message_id }, { line: (state) => app.lines.push(state) });
      void (async () => {
        for await (const { type, data } of events) {
          const { delta = '', message } = data as { delta?: string; message?: { content: string } };
          if (type === 'message.delta') app.text += delta;
          if (type === 'snapshot' && message) app.text = message.content;
        }
        app.ended = true;
      })();
    });
    const seen = () =>
      page.evaluate(() => {
        const { text, lines, lives, cursors, ended } = globalThis as unknown as PageGlobals;
        return { text, lines, lives, cursors, ended };
      });
    const connected = (lives: readonly LineState[]) => lives.filter(({ state }) => state === 'live').length;
    for (const [at, length] of [20, 100].entries()) {
      await until(seen, ({ text, lives }) => text.length > length && connected(lives) > at);
      link.set({ kind: 'cut' });
      await sleep(50);
      link.heal();
    }
    const { text, lines, lives, cursors } = await until(seen, ({ ended, lives }) => ended && connected(lives) === 3);
    t.equal(text, words.join(''));
    t.ok(lines.filter((state) => state === 'live').length >= 3, lines.join());
    t.equal(new Set(cursors).size, cursors.length);
    t.notOk(lives.slice(1).some((each) => each.state === 'live' && !each.resumed));
  });

  await t.test('uploads report their progress and can be cancelled; files are shown and linked', async (t) => {
    const found = await page.evaluate(async () => {
      const app = globalThis as unknown as PageGlobals;
      const bytes = new Uint8Array(3_000_000).fill(65);
      const sent: number[] = [];
      const file = await app.client.files.upload({ file: new File([bytes], 'a.txt') }, { sent: (done) => sent.push(done) });
      const { blob, save_as } = await app.client.files.get({ file_id: file.id });
      const href = await app.transport.link(app.operations['files.get'] as ClientModule.OperationData, { file_id: file.id });
      const linked = await fetch(href);
      const controller = new AbortController();
      const cancelled = app.client.files.upload(
        { file: new File([bytes], 'b.txt') },
        { signal: controller.signal, sent: () => controller.abort(new Error('cancelled')) },
      );
      const reason = await cancelled.then(
        () => 'sent',
        (thrown: Error) => thrown.message,
      );
      return { last: sent.at(-1), size: blob.size, save_as, linked: linked.status, again: (await fetch(href)).status, reason };
    });
    t.ok((found.last ?? 0) >= 3_000_000);
    t.match(found, { size: 3_000_000, save_as: 'a.txt', linked: 200, again: 401, reason: 'cancelled' });
  });

  await t.test('a closed client leaves nothing open', async (t) => {
    const state = await page.evaluate(async () => {
      const app = globalThis as unknown as PageGlobals;
      await app.transport.close();
      return app.live.state;
    });
    t.same(state, { state: 'ended', reason: 'closed' });
  });
});
