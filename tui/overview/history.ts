import type { StatusRecord } from '../../kernel/contract/system.js';

/** What is drawn over time, the newest last. */
export interface History {
  requests: readonly number[];
  errors: readonly number[];
  delay: readonly number[];
  cpu: readonly number[];
  memory: readonly number[];
}

const most = 120;

export const noHistory: History = { requests: [], errors: [], delay: [], cpu: [], memory: [] };

/** The history with one more reading; what a reading doesn't tell leaves no mark. */
export function remembered(before: History, { http, event_loop_delay_ms, cpu_percent, memory_mb }: StatusRecord): History {
  return {
    requests: added(before.requests, http?.requests_per_second),
    errors: added(before.errors, http?.errors_per_minute),
    delay: added(before.delay, event_loop_delay_ms?.p99),
    cpu: added(before.cpu, cpu_percent),
    memory: added(before.memory, memory_mb.rss),
  };
}

function added(values: readonly number[], value: number | null | undefined): readonly number[] {
  return value === null || value === undefined ? values : [...values, value].slice(-most);
}
