/** A platform whose AI employees ask the model at the given address; tells its memory and processor time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { logIn, password, unmet } from './log-in.js';

/** Resources that the server's process has used since the last request for them. */
export interface Use {
  cpu_s: number;
  loop_delay_ms_p99: number;
  /** The most since the start. */
  memory_mb: number;
}

/** Answers `held`. */
export interface Held {
  /** In the heap and beside it, after a collection of everything: Node must be told to expose it. */
  held_mb: number;
}

const [base_url = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const settings = { 'agents.model.base_url': base_url, 'agents.model.name': 'scripted', 'agents.model.api_key': 'none' };
const overrides = {
  data_dir: folder,
  port: 0,
  log_level: 'error',
  'members.admin_password': password,
  ...unmet,
  ...(base_url ? settings : {}),
};
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let cpu = process.cpuUsage();

process.on('message', (order) => process.send?.(order === 'held' ? held() : use()));

function use(): Use {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  const loop_delay_ms_p99 = delay.percentile(99) / 1e6;
  delay.reset();
  return { cpu_s: (user + system) / 1e6, loop_delay_ms_p99, memory_mb: process.resourceUsage().maxRSS / 1024 };
}

function held(): Held {
  if (!globalThis.gc) throw new Error('What is held is told by a process that was started with --expose-gc');
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return { held_mb: (heapUsed + external) / 2 ** 20 };
}

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.send?.({ url: kernel.url, token: await logIn(kernel) });
