import { createReadStream } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';
import { openSources } from '../../../../extensions/marketplace/sources/open.js';
import type { Source } from '../../../../extensions/marketplace/sources/source.js';
import type { Extensions } from '../../../../kernel/contract/index.js';
import { check } from '../../../../kernel/platform/bundles/reader.js';
import { isSigned, isSigningKey } from '../../../../kernel/platform/bundles/signature.js';
import { createFetch } from '../../../../kernel/platform/net/guarded-fetch.js';
import { goodPlugin, pluginManifest, sha256 } from '../../../kernel/platform/bundles/world.js';
import { zipOf } from '../../../kernel/platform/bundles/zip.js';

/** A bundle as it would be published. */
export function bundleOf(change: object = {}): { zip: Buffer; item: Record<string, unknown> & { content_hash: string } } {
  const manifest = { ...pluginManifest, category: 'tools', tags: ['greeting'], engines: { platform: '>=0.1.0' }, ...change };
  const zip = zipOf(goodPlugin(manifest));
  return { zip, item: { ...manifest, content_hash: sha256(zip) } };
}

export const indexOf = (...items: object[]) => JSON.stringify({ platform_index: 1, items });

/** Bundle reader, as extensions get it. */
export const extensions: Pick<Extensions, 'check' | 'isSigned' | 'isSigningKey'> = {
  check: (file, signal) => check(file, { signal }),
  isSigned,
  isSigningKey,
};

export interface Asked {
  url: string;
  headers: IncomingMessage['headers'];
}

/** A web server on this machine; it remembers what it was asked. */
export async function serve(t: Test, answer: RequestListener): Promise<{ url: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    asked.push({ url: request.url ?? '', headers: request.headers });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Serves a folder like a static web server. */
export const serveFolder = (t: Test, folder: string) =>
  serve(t, ({ url = '/' }, response) => {
    const file = createReadStream(join(folder, decodeURIComponent(url)));
    file.on('error', () => response.writeHead(404).end());
    file.pipe(response);
  });

export interface Opened {
  source: Source;
  /** Logged warnings. */
  warnings: string[];
  /** Time goes on. */
  pass: (ms: number) => void;
}

/** The source that the setting names; its way out is the platform's own. */
export function opened(t: Test, upstream_registry: string, upstream_token = ''): Opened {
  const fetch = createFetch({ allow: [] });
  const stop = new AbortController();
  t.teardown(() => {
    stop.abort('shutdown');
    return fetch.close();
  });
  const warnings: string[] = [];
  let now = 1_000_000;
  const silent = () => {};
  const ctx = {
    extensions: extensions as Extensions,
    web: (allow?: readonly string[]) => fetch.web(allow),
    log: { debug: silent, info: silent, error: silent, warn: (message: string) => void warnings.push(message) },
    clock: { now: () => now, iso: () => new Date(now).toISOString() },
    signal: stop.signal,
  };
  const [source] = openSources({ upstream_registry, upstream_token }, ctx);
  const pass = (ms: number) => {
    now += ms;
  };
  return { source: source as Source, warnings, pass };
}

export const soon = () => AbortSignal.timeout(30_000);
