/** A platform with 1,000 chat sessions of its administrator, for the benchmark of requests. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { logIn, password, unmet } from './log-in.js';

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const config = loadConfig({
  env: {},
  overrides: { data_dir: folder, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet },
});
const kernel = await boot(config, { listen: true, background: true });

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

const caller = await kernel.localCaller('direct');
for (let n = 1; n <= 1000; n += 1)
  await kernel.invoke('sessions.create', { title: `Session ${n}`, target_type: '', target_id: '' }, caller);
process.send?.({ url: kernel.url, token: await logIn(kernel), database: join(folder, 'platform.db'), member: caller.member_id });
