/** Usage as reported by an engine, reduced to the fields used here. Bytes and nanoseconds. */
export interface RawStats {
  cpu_stats?: CpuStats;
  memory_stats?: { usage?: number; limit?: number; stats?: Readonly<Record<string, number>> };
}

interface CpuStats {
  cpu_usage?: { total_usage?: number; percpu_usage?: readonly number[] | null };
  system_cpu_usage?: number;
  online_cpus?: number;
}

/** Usage sample of a container. */
export interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  /** Total processor time of the container, and of its host, in nanoseconds. */
  cpu: number;
  system: number;
  cpus: number;
  /** Bytes without reclaimable page cache. */
  memory: number;
  memory_limit: number;
}

/** Builds a sample; undefined if the container doesn't run. */
export function sampleOf({ cpu_stats = {}, memory_stats = {} }: RawStats, at: number): Sample | undefined {
  const { usage, limit = 0, stats = {} } = memory_stats;
  const { cpu_usage = {}, system_cpu_usage, online_cpus } = cpu_stats;
  if (usage === undefined || system_cpu_usage === undefined) return undefined;
  return {
    at,
    cpu: cpu_usage.total_usage ?? 0,
    system: system_cpu_usage,
    cpus: online_cpus || cpu_usage.percpu_usage?.length || 1,
    memory: withoutCache(usage, stats),
    memory_limit: limit,
  };
}

/** Subtracts the page cache like the engine's own client: `total_inactive_file` with cgroups v1, otherwise `inactive_file`. */
function withoutCache(usage: number, stats: Readonly<Record<string, number>>): number {
  const cache = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  return cache < usage ? usage - cache : usage;
}

/** Returns processor usage; 100 is one processor. 0 if the host's counter did not advance or the container restarted. */
export function cpuPercent(before: Sample, now: Sample): number {
  const cpu = now.cpu - before.cpu;
  const system = now.system - before.system;
  return cpu > 0 && system > 0 ? (cpu / system) * now.cpus * 100 : 0;
}

/** Converts to MiB with two decimals. */
export function mebibytes(bytes: number): number {
  return rounded(bytes / 1_048_576);
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
