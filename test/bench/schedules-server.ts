/** A platform that runs schedules of 5 ms each, in the given data folder and database; tells what it has used. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import type { Ledger } from '../fixtures/extensions/labour/contract.js';
import { fixture, ownExtension } from '../helpers/folders.js';
import { logIn, password, unmet } from './log-in.js';

/** Since it was last asked. */
export interface SchedulesUse {
  loop_delay_ms_p99: number;
  /** Share of one core. */
  cpu_percent: number;
  max_at_once: number;
  cpu_s: number;
  /** The most since the start. */
  memory_mb: number;
}

const ledger: Ledger = { lines: [], running: 0, max: 0, failed: new Map(), reported: [], stopped: [] };
Object.assign(globalThis, { labour: ledger });

const [data_dir = '', database_url = 'sqlite:'] = process.argv.slice(2);
const overrides = { data_dir, database_url, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet };
const extensions = [ownExtension('members'), ownExtension('schedules'), fixture('labour')];
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true, extensions });

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let cpu = process.cpuUsage();
let since = performance.now();

process.on('message', (order) => {
  const { user, system } = process.cpuUsage(cpu);
  const use: SchedulesUse = {
    loop_delay_ms_p99: delay.percentile(99) / 1e6,
    cpu_percent: (user + system) / 10 / (performance.now() - since),
    max_at_once: ledger.max,
    cpu_s: (user + system) / 1e6,
    memory_mb: process.resourceUsage().maxRSS / 1024,
  };
  cpu = process.cpuUsage();
  since = performance.now();
  delay.reset();
  // To look at the clock a thousand times a second costs more than the schedules do.
  if (order === 'rest') delay.disable();
  ledger.lines.length = 0;
  process.send?.(use);
});

process.on('SIGTERM', async () => {
  await kernel.close();
  process.exit(0);
});

process.send?.({ url: kernel.url, token: await logIn(kernel) });
