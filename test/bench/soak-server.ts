/** A platform under a long mixed load: replaces an extension every second, and tells its figures when asked. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot.js';
import { loadBundle } from '../../kernel/host/loader.js';
import { readManifest } from '../../kernel/host/manifest.js';
import { fixture, ownExtension } from '../helpers/folders.js';
import { logIn, password, unmet } from './log-in.js';

export interface Figures {
  memory_mb: number;
  heap_mb: number;
  resources: number;
  loop_delay_ms_p99: number;
}

const folder = mkdtempSync(join(tmpdir(), 'platform-soak-'));
const config = loadConfig({
  env: {},
  overrides: { data_dir: folder, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet },
});
const extensions = [...['members', 'chat', 'agents'].map(ownExtension), fixture('hello')];
const kernel = await boot(config, { listen: true, background: true, extensions });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();

const swapped = ['hello', 'chat', 'agents', 'members'];
let turn = 0;
const swapping = setInterval(async () => {
  const id = swapped[turn++ % swapped.length] as string;
  const source = id === 'hello' ? fixture(id) : ownExtension(id);
  await kernel.host.replace(await loadBundle(source, await readManifest(source)), source);
}, 1000);

process.on('message', () => {
  global.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const figures: Figures = {
    memory_mb: rss / 2 ** 20,
    heap_mb: heapUsed / 2 ** 20,
    resources: process.getActiveResourcesInfo().length,
    loop_delay_ms_p99: delay.percentile(99) / 1e6,
  };
  delay.reset();
  process.send?.(figures);
});

process.on('SIGTERM', async () => {
  clearInterval(swapping);
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.send?.({ url: kernel.url, token: await logIn(kernel) });
