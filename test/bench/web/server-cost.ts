import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadConfig } from '../../../config/load.js';
import { boot } from '../../../kernel/boot/boot.js';
import { password } from '../log-in.js';
import { listening, main, proportionalSize } from '../start-up.js';
import { median } from '../statistics.js';

type Row = Record<string, unknown>;

interface Started {
  ms: number;
  mb: number;
}

/** Start and memory of a server with the web app, which nobody asks for, beside one on which it is disabled. */
export async function serverCost(starts: number): Promise<Row[]> {
  const folder = await mkdtemp(join(tmpdir(), 'platform-bench-'));
  const [enabled, disabled] = [join(folder, 'enabled'), join(folder, 'disabled')];
  try {
    // Once before it counts: a first start creates the tables.
    await start(enabled);
    await start(disabled);
    await disable(disabled);
    const app: Started[] = [];
    const without: Started[] = [];
    for (let n = 0; n < starts; n += 1) {
      without.push(await start(disabled));
      app.push(await start(enabled));
    }
    const ratio = (of: keyof Started) => median(app.map((one, n) => one[of] / (without[n]?.[of] as number)));
    const of = (all: readonly Started[], figure: keyof Started) => median(all.map((one) => one[figure]));
    return [
      { what: 'start of a server with the web app', ms: of(app, 'ms'), limit_ms: of(without, 'ms'), ratio: ratio('ms') },
      { what: 'memory (PSS) of a server with the web app', mb: of(app, 'mb'), limit_mb: of(without, 'mb'), ratio: ratio('mb') },
    ];
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function disable(data_dir: string): Promise<void> {
  const config = loadConfig({ env: {}, overrides: { data_dir, log_level: 'error' } });
  const kernel = await boot(config, { listen: false, background: false });
  await kernel.invoke('plugins.disable', { name: 'web' }, await kernel.localCaller('direct'));
  await kernel.close();
}

async function start(data_dir: string): Promise<Started> {
  const env = {
    ...process.env,
    PLATFORM_DATA_DIR: data_dir,
    PLATFORM_PORT: '0',
    PLATFORM_LOG_LEVEL: 'error',
    PLATFORM_ADMIN_PASSWORD: password,
  };
  const begun = performance.now();
  const child = spawn(main, ['serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  try {
    const ms = (await listening(child)) - begun;
    await sleep(500);
    return { ms, mb: proportionalSize(child.pid as number) };
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
}
