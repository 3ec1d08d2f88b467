import { setTimeout as sleep } from 'node:timers/promises';
import { frames } from '../../kernel/client/sse.js';
import { until } from '../helpers/eventually.js';
import { type Asker, acknowledged_ms } from './asker.js';

export interface StreamEvent {
  type: string;
  cursor: string | undefined;
  /** Counts the follower's connections. */
  connection: number;
  data: { seq: number; message_id: string; delta?: string; message?: { id: string; content: string; status: string } | null };
}

/** Nothing for so long is a dead connection; sometimes it only looks like one. */
const silence_ms = 6_000;
const pause_ms = 100;

/** Reads an event stream from whichever instance has it, on from its last cursor whenever the connection fails. */
export class Follower {
  readonly #asker: Asker;
  readonly #path: string;
  readonly #stopped = new AbortController();
  #cursor: string | undefined;
  #turn: number;

  constructor(asker: Asker, path: string, turn = 0) {
    this.#asker = asker;
    this.#path = path;
    this.#turn = turn;
  }

  stop(): void {
    this.#stopped.abort();
  }

  /** Waits until it knows where it is: from there on it is promised all. */
  async opened(): Promise<void> {
    const place = () => this.#cursor ?? `${this.#path} without a cursor`;
    const isOpen = () => this.#cursor !== undefined;
    await until(place, isOpen, acknowledged_ms).catch((fault: Error) => {
      this.stop();
      throw fault;
    });
  }

  /** Hands in events until one is the last, or it is stopped. */
  async read(heard: (event: StreamEvent) => 'last' | undefined): Promise<void> {
    const { instances } = this.#asker;
    while (!this.#stopped.signal.aborted) {
      this.#turn += 1;
      const last = await this.#connection(instances[this.#turn % instances.length] as number, heard).catch(() => undefined);
      if (last === 'last') return;
      await sleep(pause_ms);
    }
  }

  async #connection(at: number, heard: (event: StreamEvent) => 'last' | undefined): Promise<'last' | undefined> {
    const broken = new AbortController();
    const timer = setTimeout(() => broken.abort(), silence_ms);
    try {
      const signal = AbortSignal.any([broken.signal, this.#stopped.signal]);
      const { statusCode, body } = await this.#asker.open(this.#path, { at, after: this.#cursor, signal });
      if (statusCode !== 200) {
        await body.dump();
        return undefined;
      }
      for await (const { id, event = '', data } of frames(body)) {
        timer.refresh();
        if (id !== undefined) this.#cursor = id;
        if (data !== undefined && heard({ type: event, cursor: id, connection: this.#turn, data: JSON.parse(data) }) === 'last')
          return 'last';
      }
      return undefined;
    } finally {
      clearTimeout(timer);
      broken.abort();
    }
  }
}
