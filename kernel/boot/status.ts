import type { SeatCounter } from '../contract/seats.js';
import type { HttpReport, StatusRecord } from '../contract/system.js';
import { within } from '../contract/within.js';
import type { Host } from '../core/host/host.js';
import { readMetrics } from '../platform/metrics-text.js';
import type { ProcessLoad } from './process-load.js';

export interface StatusOptions {
  version: string;
  instance: string;
  /** Name of this instance in responses. */
  instance_name: string;
  database: 'sqlite' | 'postgres';
  clock: { now(): number };
  started_ms: number;
  host: Host;
  load: ProcessLoad;
  /** Returns undefined if the kernel doesn't listen. */
  http: () => HttpReport | undefined;
}

const megabyte = 1024 * 1024;
const seats_ms = 5_000;

/** Returns the status of this process. */
export async function statusOf(options: StatusOptions): Promise<StatusRecord> {
  const { version, instance, instance_name, database, clock, started_ms, host, load, http } = options;
  const [figures, seats] = await Promise.all([figuresOf(host), seatsOf(host)]);
  return {
    version,
    instance,
    instance_name,
    pid: process.pid,
    node_version: process.version,
    database,
    started_at: new Date(started_ms).toISOString(),
    uptime_s: Math.max(0, Math.floor((clock.now() - started_ms) / 1_000)),
    http: http() ?? null,
    ...load.read(),
    memory_mb: memory(),
    extensions: extensionsOf(host),
    seats,
    figures,
  };
}

function memory(): StatusRecord['memory_mb'] {
  const { rss, heapUsed, heapTotal } = process.memoryUsage();
  const [rss_mb = 0, heap_used = 0, heap_total = 0] = [rss, heapUsed, heapTotal].map((bytes) => Math.round((bytes / megabyte) * 10) / 10);
  return { rss: rss_mb, heap_used, heap_total };
}

function extensionsOf(host: Host): StatusRecord['extensions'] {
  const all = [...host.catalog.extensions].filter(([name]) => name !== 'kernel');
  const count = (state: string) => all.filter(([, record]) => record.state === state).length;
  const failed = all.flatMap(([name, { state, error }]) => (state === 'failed' ? [{ name, error: error ?? 'It does not run' }] : []));
  return { active: count('active'), disabled: count('disabled'), failed };
}

async function figuresOf(host: Host): Promise<StatusRecord['figures']> {
  const metrics = [...host.running].flatMap(([extension, { draft }]) => draft.metrics.map((metric) => ({ extension, ...metric })));
  return (await readMetrics(metrics)).map(({ extension, name, help, value }) => ({ extension, name, help, value }));
}

/** Returns the seats; null if the extension that counts them is stopped or doesn't answer in time. */
async function seatsOf(host: Host): Promise<StatusRecord['seats']> {
  const [counter] = [...host.running.values()].flatMap(({ draft }) => (draft.slots.get('seats') ?? []) as SeatCounter[]);
  if (!counter) return null;
  const counted = counter.seats().then(
    ({ used, limit }) => ({ used, limit }),
    () => null,
  );
  return within(seats_ms, counted, () => null);
}
