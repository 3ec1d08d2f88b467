import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/eventually.js';
import type { Use } from './chat-server.js';
import { Child } from './child.js';
import type { ReadOrder, ReadReport } from './streams-clients.js';

const streams = 500;
const seconds = 20;
const bulky = 5;
const never_reading = 50;
/** What was written reaches the readers, or waits for them. */
const settling_ms = 2_000;

interface Side {
  url: string;
  token?: string;
}

/** Replies that a model writes at once, from its piece to the client's, beside a relay that only hands bytes on. */
export async function streamed(): Promise<Record<string, unknown>> {
  const model = await Child.start<{ url: string; pieces: number }>('./streams-model.js', [String(seconds)]);
  const clients = await Child.start('./streams-clients.js');
  try {
    const measure = async (file: string, more: Pick<ReadOrder, 'bulky' | 'never_reading'>) => {
      const server = await Child.start<Side>(file, [model.ready.url], [...process.execArgv, '--expose-gc']);
      try {
        await clients.child.ask({ ...server.ready, streams, pieces: model.ready.pieces, ...more });
        await until(
          () => model.child.ask<{ waiting: number }>('count'),
          ({ waiting }) => waiting === streams + more.bulky,
        );
        await model.child.ask('fill');
        await sleep(settling_ms);
        const { held_mb } = await server.child.ask<Use>('use');
        await model.child.ask('begin');
        return { ...(await clients.child.ask<ReadReport>('read')), ...(await server.child.ask<Use>('use')), held_mb };
      } finally {
        await server.child.stop();
      }
    };
    const limit = await measure('./limits/relay.js', { bulky: 0, never_reading: 0 });
    const alone = await measure('./chat-server.js', { bulky, never_reading: 0 });
    const ours = await measure('./chat-server.js', { bulky, never_reading });
    return {
      streams,
      pieces_per_s: (streams * model.ready.pieces) / seconds,
      lost: alone.lost + ours.lost,
      ms_p50: ours.ms_p50,
      ms_p99: ours.ms_p99,
      limit_ms_p99: limit.ms_p99,
      ratio_p99: ours.ms_p99 / limit.ms_p99,
      ms_max: ours.ms_max,
      cpu_s: ours.cpu_s,
      limit_cpu_s: limit.cpu_s,
      ratio_by_cpu: ours.cpu_s / limit.cpu_s,
      loop_delay_ms_p99: ours.loop_delay_ms_p99,
      memory_mb: ours.memory_mb,
      memory_mb_without_50_that_never_read: alone.memory_mb,
      kb_held_for_each_of_them: ((ours.held_mb - alone.held_mb) * 1_024) / never_reading,
      ms_p99_without_them: alone.ms_p99,
    };
  } finally {
    await clients.child.stop();
    await model.child.stop();
  }
}
