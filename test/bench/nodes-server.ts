/** A platform whose local engine is the one that is named, for the benchmark of nodes. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { logIn, password, unmet } from './log-in.js';

const [docker_host, image] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const settings = { docker_host, 'nodes.image': image, 'nodes.guard_image': image };
const overrides = { ...settings, data_dir: folder, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet };
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true });

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.send?.({ url: kernel.url, token: await logIn(kernel) });
