/** A platform in the given data folder, with the settings and extensions (left out: all of its own) that are given as JSON; tells what it has used. */
import { loadConfig } from '../../../config/load.js';
import { boot } from '../../../kernel/boot/boot.js';
import { logIn, password, unmet } from '../log-in.js';
import type { Used } from './asked.js';

const [data_dir = '', given = '{}'] = process.argv.slice(2);
const { settings, ...options } = JSON.parse(given) as { settings?: object; extensions?: string[] };
const overrides = { data_dir, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet, ...settings };
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true, ...options });

process.on('SIGTERM', async () => {
  await kernel.close();
  process.exit(0);
});

let cpu = { user: 0, system: 0 };
process.on('message', () => {
  const { user, system } = process.cpuUsage(cpu);
  cpu = process.cpuUsage();
  const used: Used = { cpu_s: (user + system) / 1e6, memory_mb: process.resourceUsage().maxRSS / 1024 };
  process.send?.(used);
});

process.send?.({ url: kernel.url, token: await logIn(kernel) });
