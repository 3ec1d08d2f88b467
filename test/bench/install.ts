import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '../../kernel/platform/bundles/folder.js';
import { unpack } from '../../kernel/platform/bundles/reader.js';
import { Child } from './child.js';
import { median } from './statistics.js';

interface Ready {
  url: string;
  token: string;
  bytes: number;
  path: string;
}

const times = 5;

/** How long installing an approved plugin of 1 MB takes over HTTP, beside unpacking it and starting an empty program. */
export async function install(): Promise<Record<string, unknown>[]> {
  const { child, ready } = await Child.start<Ready>('./install-server.js');
  try {
    await cycle(ready);
    const took: number[] = [];
    const min: number[] = [];
    for (let n = 0; n < times; n += 1) {
      took.push(await cycle(ready));
      min.push(await unpackAndStart(ready.path));
    }
    const install_ms_median = median(took);
    const limit_ms_median = median(min);
    return [
      {
        bytes: ready.bytes,
        install_ms_median,
        install_ms_max: Math.max(...took),
        limit_ms_median,
        ratio: install_ms_median / limit_ms_median,
      },
    ];
  } finally {
    await child.stop();
  }
}

const cycles = 200;

/** Compares the platform's memory after 200 installations and removals with that after the first 20. */
export async function installMemory(): Promise<Record<string, unknown>[]> {
  const { child, ready } = await Child.start<Ready>('./install-server.js', [], ['--expose-gc']);
  try {
    for (let n = 0; n < 20; n += 1) await cycle(ready);
    const { rss_mb: before } = await child.ask<{ rss_mb: number }>('memory');
    for (let n = 0; n < cycles; n += 1) await cycle(ready);
    const { rss_mb: after } = await child.ask<{ rss_mb: number }>('memory');
    return [{ cycles, memory_mb_before: before, memory_mb_after: after, memory_growth: after / before - 1 }];
  } finally {
    await child.stop();
  }
}

/** Installs, calls and removes it; gives how long the installation took. */
async function cycle(ready: Ready): Promise<number> {
  const started = performance.now();
  await ask(ready, 'POST', '/api/marketplace/install', { id: 'guest' });
  const took = performance.now() - started;
  await ask(ready, 'POST', '/api/x/guest/greet', {});
  await ask(ready, 'DELETE', '/api/marketplace/guest');
  return took;
}

async function ask({ url, token }: Ready, method: string, path: string, body?: object): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  await response.arrayBuffer();
}

async function unpackAndStart(zip: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
  const started = performance.now();
  await unpack(zip, join(folder, 'unpacked'));
  spawnSync(process.execPath, ['-e', '0']);
  const took = performance.now() - started;
  await removeFolder(join(folder, 'unpacked'));
  rmSync(folder, { recursive: true, force: true });
  return took;
}
