/** A platform under a long mixed load: replaces an extension again and again, and tells its figures when asked. */
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { getHeapSpaceStatistics, queryObjects } from 'node:v8';
import { loadConfig } from '../../config/load.js';
import { boot } from '../../kernel/boot/boot.js';
import { ownExtensions, readBundle } from '../../kernel/core/plugins/own-bundles.js';
import { logIn, password, unmet } from '../bench/log-in.js';
import { fixture, ownExtension } from '../helpers/folders.js';

/** Resources of a process at a moment, after a garbage collection. */
export interface Figures {
  /** The resident set without what V8 holds for what is to come, `young_mb` and `spare_mb`: what the process needs for what it keeps. */
  memory_mb: number;
  /** The resident part of V8's young generation, empty or not: V8 sizes it by the pace of allocation, up to three semi-spaces. */
  young_mb: number;
  /** Free room inside the resident pages of V8's old generation: it may be filled again, and is not given back to the system. */
  spare_mb: number;
  /** In use. */
  heap_mb: number;
  /** Handles that keep the process alive: timers, sockets, files, requests to the system. */
  handles: number;
  handle_kinds: Record<string, number>;
  /** Listeners of the process itself. */
  listeners: number;
  loop_delay_ms_p99: number;
  /** Warnings of Node's: an emitter with too many listeners is one. */
  warnings: number;
}

/** The same while nothing is asked, with what lives in it: counting that takes seconds. */
export interface FiguresAtRest extends Figures {
  /** Emitters of events: sockets, streams, requests, child processes. */
  emitters: number;
  signals: number;
  /** Each listener and each waiting callback is one. */
  functions: number;
}

const swap_ms = 5_000;
const swapped = ['hello', 'chat', 'notifications', 'agents', 'schedules', 'members'];
const folder = mkdtempSync(join(tmpdir(), 'platform-soak-'));
const data_dir = join(folder, 'data');
const config = loadConfig({ env: {}, overrides: { data_dir, port: 0, log_level: 'error', 'members.admin_password': password, ...unmet } });
const extensions = [...ownExtensions(), fixture('hello')];
const kernel = await boot(config, { listen: true, background: true, extensions });
const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
let warnings = 0;
process.on('warning', ({ name }) => {
  if (name === 'MaxListenersExceededWarning') warnings += 1;
});

async function swap(turn: number): Promise<void> {
  const id = swapped[turn % swapped.length] as string;
  const source = id === 'hello' ? fixture(id) : ownExtension(id);
  await kernel.host.replace(await readBundle(source), source);
}

/** How many there are of a kind that something still refers to. */
function living(kind: new () => unknown): number {
  return queryObjects(kind as never) as unknown as number;
}

/** Resident and used memory of both generations, in MB. */
function generations(): Record<'young' | 'old', { resident: number; used: number }> {
  const sums = { young: { resident: 0, used: 0 }, old: { resident: 0, used: 0 } };
  for (const { space_name, physical_space_size, space_used_size } of getHeapSpaceStatistics()) {
    const sum = sums[/^new_/.test(space_name) ? 'young' : 'old'];
    sum.resident += mb(physical_space_size);
    sum.used += mb(space_used_size);
  }
  return sums;
}

function mb(bytes: number): number {
  return bytes / 2 ** 20;
}

function figures(): Figures {
  global.gc?.();
  const kinds: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) kinds[kind] = (kinds[kind] ?? 0) + 1;
  const { young, old } = generations();
  const spare_mb = old.resident - old.used;
  const found = {
    memory_mb: mb(process.memoryUsage.rss()) - young.resident - spare_mb,
    young_mb: young.resident,
    spare_mb,
    heap_mb: young.used + old.used,
    handles: Object.values(kinds).reduce((sum, count) => sum + count, 0),
    handle_kinds: kinds,
    listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    loop_delay_ms_p99: delay.percentile(99) / 1e6,
    warnings,
  };
  delay.reset();
  return found;
}

/** Leaks on purpose, to see that the leak is found. */
function leak(): void {
  setInterval(() => {
    process.on('SIGUSR2', () => undefined);
    setTimeout(() => undefined, 3_600_000);
  }, 20);
}

if (process.argv[2] === 'leaking') leak();
let turn = 0;
let swapping: Promise<void> = Promise.resolve();
let swapper: NodeJS.Timeout | undefined;
function begin(): void {
  swapper = setInterval(() => {
    swapping = swap(turn++);
  }, swap_ms);
}

async function atRest(): Promise<FiguresAtRest> {
  clearInterval(swapper);
  await swapping;
  const found = { ...figures(), emitters: living(EventEmitter), signals: living(AbortSignal), functions: living(Function) };
  begin();
  return found;
}

process.on('message', async (order: 'figures' | 'rest') => process.send?.(order === 'rest' ? await atRest() : figures()));

process.on('SIGTERM', async () => {
  clearInterval(swapper);
  await kernel.close();
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});

// Code that is compiled and cached once must not count as growth.
for (const at of swapped.keys()) await swap(at);
begin();
process.send?.({ url: kernel.url, token: await logIn(kernel) });
