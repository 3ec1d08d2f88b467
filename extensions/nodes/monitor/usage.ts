/** What an engine says of a container's use, as far as it is looked at. Bytes and nanoseconds. */
export interface RawStats {
  cpu_stats?: CpuStats;
  memory_stats?: { usage?: number; limit?: number; stats?: Readonly<Record<string, number>> };
}

interface CpuStats {
  cpu_usage?: { total_usage?: number; percpu_usage?: readonly number[] | null };
  system_cpu_usage?: number;
  online_cpus?: number;
}

/** One look at what a container uses. */
export interface Sample {
  /** Milliseconds since the epoch. */
  at: number;
  /** All that it has used of processors, and all that its host has, in nanoseconds. */
  cpu: number;
  system: number;
  cpus: number;
  /** Bytes, without the page cache that can be given back. */
  memory: number;
  memory_limit: number;
}

/** Undefined where the container doesn't run. */
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

/** As the engine's own client does: `total_inactive_file` with control groups of version 1, else `inactive_file`. */
function withoutCache(usage: number, stats: Readonly<Record<string, number>>): number {
  const cache = stats.total_inactive_file ?? stats.inactive_file ?? 0;
  return cache < usage ? usage - cache : usage;
}

/** 100 is one processor. 0 where the host was not counted on in between, or the container started anew. */
export function cpuPercent(before: Sample, now: Sample): number {
  const cpu = now.cpu - before.cpu;
  const system = now.system - before.system;
  return cpu > 0 && system > 0 ? (cpu / system) * now.cpus * 100 : 0;
}

/** MiB with two digits after the point. */
export function mebibytes(bytes: number): number {
  return rounded(bytes / 1_048_576);
}

export function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
