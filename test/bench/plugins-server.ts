/** A platform with one extension, whose code runs in the platform's process (`inside`) or in one of its own (`plugin`). */
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { loadBundle } from '../../kernel/core/host/loader.js';
import { readManifest } from '../../kernel/core/host/manifest.js';
import { sandboxed } from '../../kernel/platform/sandbox/plugin.js';
import { ownExtension } from '../helpers/folders.js';
import { logIn, password, unmet } from './log-in.js';

const code = `
const op = (name, more) => ({ summary: name, path: '/api/x/bench/' + name, who: 'member', ...more });
const text = 'x'.repeat(50000);
exports.default = { activate(ctx) {
  ctx.expose({
    'bench.greet': op('greet', { method: 'GET', input: (j) => j.object({ name: j.string().max(40).required() }), answer: (j) => j.object({ greeting: j.string().required() }) }),
    'bench.take': op('take', { method: 'POST', kind: 'upload', max_bytes: 50 * 1024 * 1024, timeout_ms: 120000, input: (j) => j.object({ file: j.object().unknown().required() }), answer: (j) => j.object({ bytes: j.number().required() }) }),
    'bench.sort': op('sort', { method: 'POST', input: (j) => j.object({ a: j.array().items(j.alternatives(...Array.from({ length: 401 }, (_, n) => j.number().valid(n)))) }), answer: (j) => j.object({ sorted: j.number().required() }) }),
    'bench.much': op('much', { method: 'GET', kind: 'stream' }),
  }, {
    'bench.greet': ({ name }) => ({ greeting: 'Hello, ' + name }),
    'bench.sort': ({ a = [] }) => ({ sorted: a.length }),
    'bench.take': async ({ file }) => {
      let bytes = 0;
      for await (const piece of require('node:fs').createReadStream(file.path)) bytes += piece.length;
      return { bytes };
    },
    'bench.much': async function* () { for (let n = 0; ; n += 1) yield { type: 'much', data: { n, text } }; },
  });
} };`;

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const overrides = { data_dir: join(folder, 'data'), port: 0, log_level: 'error' as const, 'members.admin_password': password, ...unmet };
const kernel = await boot(loadConfig({ env: {}, overrides }), { listen: true, background: true, extensions: [ownExtension('members')] });

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

const made = join(folder, 'bench');
mkdirSync(made);
// The plugin's process may be another user's.
chmodSync(folder, 0o711);
const described = {
  id: 'bench',
  name: 'Bench',
  type: 'plugin',
  version: '1.0.0',
  description: 'Answers.',
  author: 'b',
  claims: ['/api/x/bench'],
};
await writeFile(join(made, 'manifest.json'), JSON.stringify(described));
await writeFile(join(made, 'index.cjs'), code);
const manifest = await readManifest(made);
const bundle = await loadBundle(made, manifest);
const apart = { ...bundle, evaluate: () => sandboxed({ manifest, folder: made }, { walls: kernel.walls, trusted: true }) };
await kernel.host.replace(process.argv[2] === 'plugin' ? apart : bundle, made);

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
let max_mb = 0;
setInterval(() => {
  max_mb = Math.max(max_mb, process.memoryUsage().rss / 2 ** 20);
}, 50).unref();
process.on('message', () => {
  process.send?.({ rss_mb: process.memoryUsage().rss / 2 ** 20, max_mb, loop_delay_ms_p99: delay.percentile(99) / 1e6 });
  delay.reset();
  max_mb = 0;
});

process.send?.({ url: kernel.url, token: await logIn(kernel) });
