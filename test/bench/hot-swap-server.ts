import { mkdtempSync, rmSync } from 'node:fs';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { readBundle } from '../../kernel/core/plugins/own-bundles.js';
import { fixture, ownExtension } from '../helpers/folders.js';
import { makeAndEnd } from './limits/routes.js';
import { logIn, password, unmet } from './log-in.js';

export interface SwapOrder {
  extension: 'hello' | 'chat' | 'members';
  swaps: number;
}

export interface SwapReport {
  extension: string;
  swap_ms: number[];
  /** Times of bare hapi servers with ten routes, made and ended under the same load. */
  limit_ms: number[];
  loop_delay_ms_max: number;
  memory_mb_before: number;
  memory_mb_after: number;
}

/** The operation of each extension whose answers show which version served. */
const shown = { hello: 'hello.slow', chat: 'sessions.list', members: 'members.list' };

const folder = mkdtempSync(join(tmpdir(), 'platform-bench-'));
const config = loadConfig({
  env: {},
  overrides: { data_dir: join(folder, 'data'), port: 0, log_level: 'error', 'members.admin_password': password, ...unmet },
});
const extensions = [ownExtension('members'), ownExtension('chat'), ownExtension('agents'), fixture('hello')];
const kernel = await boot(config, { listen: true, background: true, extensions });

process.on('SIGTERM', async () => {
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

process.on('message', async (order: SwapOrder) => process.send?.(await swapAll(order)));

process.send?.({ url: kernel.url, token: await logIn(kernel) });

async function swapAll({ extension, swaps }: SwapOrder): Promise<SwapReport> {
  const source = extension === 'hello' ? fixture('hello') : ownExtension(extension);
  // Code that is compiled and cached once must not count as growth.
  for (let n = 1; n <= 20; n += 1) await swap(extension, source, n);
  const memory_mb_before = await settledMemory();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const swap_ms: number[] = [];
  for (let n = 1; n <= swaps; n += 1) {
    swap_ms.push(await swap(extension, source, 20 + n));
    await pause(5);
  }
  delay.disable();
  const memory_mb_after = await settledMemory();
  return { extension, swap_ms, limit_ms: await bareSwaps(), loop_delay_ms_max: delay.max / 1e6, memory_mb_before, memory_mb_after };
}

/** Makes another version and puts it in place; gives how long the putting in place took. */
async function swap(extension: SwapOrder['extension'], source: string, n: number): Promise<number> {
  const made = join(folder, `${extension}-${n}`);
  await cp(source, made, { recursive: true });
  const manifest = JSON.parse(await readFile(join(made, 'manifest.json'), 'utf8')) as { version: string };
  const version = manifest.version.replace(/\d+$/, String(1000 + n));
  await writeFile(join(made, 'manifest.json'), JSON.stringify({ ...manifest, version }));
  await writeFile(join(made, 'index.cjs'), `${await readFile(join(made, 'index.cjs'), 'utf8')}\n${epilogue(shown[extension], version)}`);
  const started = performance.now();
  await kernel.host.replace(await readBundle(made), made);
  const took = performance.now() - started;
  await rm(made, { recursive: true });
  return took;
}

async function bareSwaps(): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < 50; n += 1) {
    const started = performance.now();
    await makeAndEnd();
    took.push(performance.now() - started);
    await pause(5);
  }
  return took;
}

/** Code that makes one operation's answers show the version. */
function epilogue(operation: string, version: string): string {
  return `{
  const inner = module.exports.default;
  module.exports = { default: {
    ...inner,
    activate: (ctx) => inner.activate({ ...ctx, expose: (operations, handlers, codes) => ctx.expose(operations, {
      ...handlers,
      ${JSON.stringify(operation)}: async (input, call) => {
        const answer = await handlers[${JSON.stringify(operation)}](input, call);
        return Array.isArray(answer) ? [...answer, { served_by: ${JSON.stringify(version)} }] : { ...answer, served_by: ${JSON.stringify(version)} };
      },
    }, codes) }),
  } };
}`;
}

async function settledMemory(): Promise<number> {
  // Replaced versions end when the last of their calls has.
  for (let round = 0; round < 6; round += 1) {
    global.gc?.();
    await pause(500);
  }
  return process.memoryUsage().rss / 2 ** 20;
}
