/** A platform that measures its own event loop, for the benchmark of logins. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { hash } from '@node-rs/argon2';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { password, unmet } from './log-in.js';

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const config = loadConfig({
  env: {},
  overrides: {
    data_dir: folder,
    port: 0,
    trusted_proxies: ['127.0.0.1'],
    log_level: 'error',
    'members.admin_password': password,
    ...unmet,
  },
});
const kernel = await boot(config, { listen: true, background: true });
const delay = monitorEventLoopDelay({ resolution: 1 });

process.on('message', async (order) => {
  if (order === 'measure') {
    delay.enable();
    process.send?.({});
    return;
  }
  delay.disable();
  process.send?.({ loop_delay_ms_p99: delay.percentile(99) / 1e6, limit_ms: await hashes() });
});

/** The limit: as many hashes at once as logins, by the same package and nothing else; how long each took. */
async function hashes(): Promise<number[]> {
  const took: number[] = [];
  for (let round = 0; round < 10; round += 1) {
    const started = performance.now();
    const one = () =>
      hash(password, { memoryCost: 19_456, timeCost: 2, parallelism: 1 }).then(() => took.push(performance.now() - started));
    await Promise.all(Array.from({ length: 20 }, one));
  }
  return took;
}

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.send?.({ url: kernel.url });
