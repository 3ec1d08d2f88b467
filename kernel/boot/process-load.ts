import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** Load since the previous reading; null if there was none. */
export interface LoadFigures {
  /** Delay of timers. */
  event_loop_delay_ms: { p50: number; p99: number; max: number } | null;
  /** Percent of one core. */
  cpu_percent: number | null;
}

const resolution_ms = 10;
/** Minimum interval of readings; more frequent ones return the previous figures. */
const shortest_ms = 1_000;
/** Measuring stops if nobody reads for this time. */
const idle_ms = 120_000;

interface Watch {
  delay: IntervalHistogram;
  cpu: NodeJS.CpuUsage;
  since_ms: number;
}

/** Measures the load of this process, only while somebody reads it. */
export class ProcessLoad {
  #watch: Watch | undefined;
  #found: LoadFigures = { event_loop_delay_ms: null, cpu_percent: null };
  #idle: NodeJS.Timeout | undefined;

  read(): LoadFigures {
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.dispose(), idle_ms).unref();
    const now_ms = performance.now();
    if (!this.#watch) this.#watch = watchFrom(now_ms);
    else if (now_ms - this.#watch.since_ms >= shortest_ms) this.#measure(this.#watch, now_ms);
    return this.#found;
  }

  dispose(): void {
    clearTimeout(this.#idle);
    this.#watch?.delay.disable();
    this.#watch = undefined;
    this.#found = { event_loop_delay_ms: null, cpu_percent: null };
  }

  #measure(watch: Watch, now_ms: number): void {
    const { delay, cpu, since_ms } = watch;
    const { user, system } = process.cpuUsage(cpu);
    const late = (percentile: number) => lateness(delay.percentile(percentile));
    this.#found = {
      event_loop_delay_ms: delay.count === 0 ? null : { p50: late(50), p99: late(99), max: lateness(delay.max) },
      cpu_percent: rounded((user + system) / (now_ms - since_ms) / 10),
    };
    delay.reset();
    watch.cpu = process.cpuUsage();
    watch.since_ms = now_ms;
  }
}

function watchFrom(since_ms: number): Watch {
  const delay = monitorEventLoopDelay({ resolution: resolution_ms });
  delay.enable();
  return { delay, cpu: process.cpuUsage(), since_ms };
}

/** Returns the lateness of a tick: the histogram measures the time between ticks. */
function lateness(nanoseconds: number): number {
  return rounded(Math.max(0, nanoseconds / 1e6 - resolution_ms));
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
