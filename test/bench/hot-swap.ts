import { once } from 'node:events';
import { forked } from './forked.js';
import type { SwapOrder, SwapReport } from './hot-swap-server.js';
import { Load, type LoadReport } from './load.js';
import { message } from './message.js';
import { median, percentile } from './statistics.js';

/**
 * Replaces extensions under load: each swap puts another version, whose code differs, in the place of
 * the one that runs, while 32 connections ask and post, and slow calls are under way.
 */
export async function hotSwap(extension: 'hello' | 'chat' | 'members', swaps: number): Promise<Record<string, unknown>> {
  // With V8's own limit of the young generation: one that may still grow would hide what is kept by mistake.
  const server = forked('./hot-swap-server.js', [], ['--expose-gc']);
  try {
    const [ready] = (await message(server)) as [{ url: string; token: string }];
    const load = new Load({ ...ready, extension, connections: 32 });
    await load.start();
    const order: SwapOrder = { extension, swaps };
    server.send(order);
    const [report] = (await message(server)) as [SwapReport];
    return summary(report, await load.stop());
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

function summary(report: SwapReport, load: LoadReport) {
  return {
    extension: report.extension,
    swaps: report.swap_ms.length,
    requests: load.requests,
    failed: load.failed,
    first_failure: load.first_failure,
    versions_seen: load.versions,
    swap_ms_median: median(report.swap_ms),
    limit_swap_ms_median: median(report.limit_ms),
    swap_ms_p99: percentile(report.swap_ms, 0.99),
    loop_delay_ms_max: report.loop_delay_ms_max,
    memory_mb_before: report.memory_mb_before,
    memory_mb_after: report.memory_mb_after,
    memory_growth: report.memory_mb_after / report.memory_mb_before - 1,
  };
}
