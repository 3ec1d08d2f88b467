import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Traffic } from './traffic.js';

/** Upper bounds of the duration buckets, in ms. */
const bounds = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000] as const;

/** Counts the requests of one operation with two additions each; prom-client's histograms would look up labels each time. */
export class Meter {
  readonly #statuses = new Map<number, number>();
  readonly #buckets = new Array<number>(bounds.length + 1).fill(0);
  #sum_ms = 0;

  record(status: number, duration_ms: number): void {
    this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
    let bucket = 0;
    while (bucket < bounds.length && duration_ms > (bounds[bucket] as number)) bucket++;
    this.#buckets[bucket] = (this.#buckets[bucket] as number) + 1;
    this.#sum_ms += duration_ms;
  }

  counts(operation: string): string[] {
    return [...this.#statuses].map(
      ([status, count]) => `platform_http_requests_total{operation="${operation}",status="${status}"} ${count}`,
    );
  }

  durations(operation: string): string[] {
    const name = 'platform_http_request_duration_seconds';
    let count = 0;
    const buckets = this.#buckets.map((found, index) => {
      count += found;
      const bound = bounds[index];
      return `${name}_bucket{operation="${operation}",le="${bound === undefined ? '+Inf' : bound / 1000}"} ${count}`;
    });
    return [...buckets, `${name}_sum{operation="${operation}"} ${this.#sum_ms / 1000}`, `${name}_count{operation="${operation}"} ${count}`];
  }
}

/** Metrics of HTTP and the process for `/metrics`, in Prometheus' text format 0.0.4. */
export class Metrics {
  readonly #meters = new Map<string, Meter>();
  /** Traffic of all operations, including removed ones. */
  readonly traffic = new Traffic();
  #delay: IntervalHistogram | undefined;

  record(operation: string, status: number, duration_ms: number): void {
    let meter = this.#meters.get(operation);
    if (!meter) {
      meter = new Meter();
      this.#meters.set(operation, meter);
    }
    meter.record(status, duration_ms);
    this.traffic.record(status);
  }

  /** Removes the meters of operations that no longer exist. */
  keep(operations: { has(id: string): boolean }): void {
    for (const id of this.#meters.keys()) if (!operations.has(id)) this.#meters.delete(id);
  }

  text({ streams, sockets }: { streams: number; sockets: number }): string {
    const meters = [...this.#meters];
    return [
      ...family('platform_http_requests_total', 'counter', 'Requests answered, by operation and status.'),
      ...meters.flatMap(([id, meter]) => meter.counts(id)),
      ...family(
        'platform_http_request_duration_seconds',
        'histogram',
        'Time from the request to its response, or to the first byte of a stream.',
      ),
      ...meters.flatMap(([id, meter]) => meter.durations(id)),
      ...gauge('platform_http_streams', 'Open event streams.', streams),
      ...gauge('platform_http_sockets', 'Open WebSockets.', sockets),
      ...this.#process(),
      '',
    ].join('\n');
  }

  close(): void {
    this.#delay?.disable();
  }

  #process(): string[] {
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const { user, system } = process.cpuUsage();
    return [
      ...gauge('process_resident_memory_bytes', 'Resident memory size in bytes.', rss),
      ...gauge('nodejs_heap_size_used_bytes', 'Heap in use.', heapUsed),
      ...gauge('nodejs_heap_size_total_bytes', 'Heap reserved.', heapTotal),
      ...gauge('nodejs_external_memory_bytes', 'Memory of objects outside the heap.', external),
      ...family('process_cpu_seconds_total', 'counter', 'User and system CPU time spent.'),
      `process_cpu_seconds_total ${(user + system) / 1e6}`,
      ...gauge('process_start_time_seconds', 'Start time since the epoch.', Math.round(Date.now() / 1000 - process.uptime())),
      ...this.#eventLoop(),
    ];
  }

  /** Returns the event-loop delay since the last reading; measured from the first reading on. */
  #eventLoop(): string[] {
    if (!this.#delay) {
      this.#delay = monitorEventLoopDelay({ resolution: 10 });
      this.#delay.enable();
    }
    const delay = this.#delay;
    const lines =
      delay.count === 0
        ? []
        : [
            ...gauge(
              'nodejs_eventloop_lag_p50_seconds',
              'Median delay of the event loop since the last reading.',
              delay.percentile(50) / 1e9,
            ),
            ...gauge('nodejs_eventloop_lag_p99_seconds', '99th percentile of that delay.', delay.percentile(99) / 1e9),
            ...gauge('nodejs_eventloop_lag_max_seconds', 'The largest of that delay.', delay.max / 1e9),
          ];
    delay.reset();
    return lines;
  }
}

function family(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function gauge(name: string, help: string, value: number): string[] {
  return [...family(name, 'gauge', help), `${name} ${value}`];
}
