/** A platform with an approved plugin of 1 MB in its marketplace. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { removeFolder } from '../../kernel/platform/bundles/folder.js';
import { ownExtension } from '../helpers/folders.js';
import { pluginZip } from '../kernel/core/plugins/bundle.js';
import { logIn, password, unmet } from './log-in.js';

const megabyte = 2 ** 20;
const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
await chmod(folder, 0o711);
const data_dir = join(folder, 'data');
const config = loadConfig({
  env: {},
  overrides: { data_dir, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet, 'plugins.trusted': ['guest'] },
});
const extensions = ['members', 'marketplace'].map(ownExtension);
const kernel = await boot(config, { listen: true, background: true, extensions });

process.on('SIGTERM', async () => {
  await kernel.close();
  // Installed files are read-only.
  await removeFolder(join(data_dir, 'extensions'));
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

// Files as they are in real bundles: code, and others that can't be pressed together.
const zip = pluginZip({
  permissions: { storage: true },
  activate: `ctx.listen('guest.happened', async () => {});
    ctx.expose({ 'guest.greet': op('greet') }, { 'guest.greet': () => ctx.storage.set('k', 1) });`,
  files: Array.from({ length: 20 }, (_, n) => ({
    name: `assets/${n}.txt`,
    content: randomBytes(megabyte / 21).toString('hex'),
  })),
});
const path = join(folder, 'bundle.zip');
writeFileSync(path, zip);
const admin = await kernel.localCaller('direct');
const published = { type: 'plugin', file: { path, filename: 'bundle.zip', bytes: zip.length } };
await kernel.invoke('marketplace.publish', published, admin);
await kernel.invoke('marketplace.approve', { id: 'guest', version: '1.0.0' }, admin);

process.on('message', async () => {
  for (let round = 0; round < 6; round += 1) {
    global.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
  process.send?.({ rss_mb: process.memoryUsage().rss / megabyte });
});

process.send?.({ url: kernel.url, token: await logIn(kernel), bytes: zip.length, path });
