import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../helpers/eventually.js';
import type { Held, Use } from './chat-server.js';
import { Child } from './child.js';
import type { ReadReport } from './streams-clients.js';

const streams = 500;
const seconds = 20;
const bulky = 5;
const never_reading = 50;
/** Time for what was written to reach the readers. */
const settling_ms = 2_000;

interface Side {
  url: string;
  token?: string;
}

interface Model {
  url: string;
  pieces: number;
  warm_pieces: number;
}

/** Load beside the measured streams: large replies, and readers of them that never read. */
interface Load {
  bulky: number;
  never_reading: number;
}

const plain: Load = { bulky: 0, never_reading: 0 };
const read_by_none: Load = { bulky, never_reading: 0 };
const unread: Load = { bulky, never_reading };

/**
 * Replies that a model writes at once, from its piece to the client's, beside a relay that only hands bytes on. Each side has handed on
 * as many replies before, for three seconds: what V8 has to compile is no part of what a piece takes. What unread streams hold is
 * measured apart: to ask for a collection of everything makes V8 collect more often afterwards.
 */
export async function streamed(): Promise<Record<string, unknown>> {
  const model = await Child.start<Model>('./streams-model.js', [String(seconds)]);
  const clients = await Child.start('./streams-clients.js');
  const bench = new Streams(model, clients.child);
  try {
    const limit = await bench.timed('./limits/relay.js', plain);
    const alone = await bench.timed('./chat-server.js', read_by_none);
    const ours = await bench.timed('./chat-server.js', unread);
    const held_mb = (await bench.held(unread)) - (await bench.held(read_by_none));
    return {
      streams,
      pieces_per_s: (streams * model.ready.pieces) / seconds,
      lost: limit.lost + alone.lost + ours.lost,
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
      kb_held_for_each_of_them: (held_mb * 1_024) / never_reading,
      ms_p99_without_them: alone.ms_p99,
    };
  } finally {
    await clients.child.stop();
    await model.child.stop();
  }
}

class Streams {
  readonly #model: Child;
  readonly #replies: Model;
  readonly #clients: Child;

  constructor(model: { child: Child; ready: Model }, clients: Child) {
    this.#model = model.child;
    this.#replies = model.ready;
    this.#clients = clients;
  }

  async timed(file: string, load: Load): Promise<ReadReport & Use> {
    const { pieces, warm_pieces } = this.#replies;
    return this.#with(file, [], async (server, side) => {
      await this.#open(side, warm_pieces, plain);
      const warm = await this.#read('warm');
      await sleep(settling_ms);
      await this.#open(side, pieces, load);
      await server.ask<Use>('use');
      const read = await this.#read('begin');
      return { ...read, lost: warm.lost + read.lost, ...(await server.ask<Use>('use')) };
    });
  }

  /** Megabytes, while all streams are open and what they carry beside their pieces is written. */
  async held(load: Load): Promise<number> {
    return this.#with('./chat-server.js', ['--expose-gc'], async (server, side) => {
      await this.#open(side, this.#replies.pieces, load);
      const { held_mb } = await server.ask<Held>('held');
      await this.#clients.ask('leave');
      return held_mb;
    });
  }

  async #with<T>(file: string, flags: readonly string[], work: (server: Child, side: Side) => Promise<T>): Promise<T> {
    const { child, ready } = await Child.start<Side>(file, [this.#replies.url], [...process.execArgv, ...flags]);
    try {
      return await work(child, ready);
    } finally {
      await child.stop();
    }
  }

  async #open(side: Side, pieces: number, load: Load): Promise<void> {
    await this.#clients.ask({ ...side, streams, pieces, ...load });
    await until(
      () => this.#model.ask<{ waiting: number }>('count'),
      ({ waiting }) => waiting === streams + load.bulky,
    );
    if (load.bulky > 0) await this.#model.ask('fill');
    await sleep(settling_ms);
  }

  async #read(order: 'warm' | 'begin'): Promise<ReadReport> {
    await this.#model.ask(order);
    return this.#clients.ask<ReadReport>('read');
  }
}
