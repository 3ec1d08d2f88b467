import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { fixture, ownExtension } from '../helpers/folders.js';
import { callerOf } from '../helpers/platform.js';
import { logIn, password, unmet } from './log-in.js';
import type { TellOrder } from './sockets.js';

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const config = loadConfig({
  env: {},
  overrides: { data_dir: join(folder, 'data'), port: 0, log_level: 'error', 'members.admin_password': password, ...unmet },
});
const kernel = await boot(config, { listen: true, background: true, extensions: [ownExtension('members'), fixture('frames')] });

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.on('message', async ({ to, pad, times }: TellOrder) => {
  const cpu = process.cpuUsage();
  const at = process.hrtime.bigint().toString();
  await kernel.invoke('frames.tell', { to, pad, times }, callerOf());
  await new Promise((resolve) => setTimeout(resolve, 100));
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ at, cpu_us: user + system, memory_mb: process.memoryUsage.rss() / 2 ** 20 });
});

const token = await logIn(kernel);
const others = await Promise.all(['ada', 'bob', 'eve', 'joe'].map((username) => tokenOf(username)));
process.send?.({ url: `${kernel.url?.replace(/^http/, 'ws')}/ws`, token, tokens: [token, ...others] });

async function tokenOf(username: string): Promise<string> {
  await kernel.invoke('members.create', { username, password }, callerOf());
  return logIn(kernel, username);
}
