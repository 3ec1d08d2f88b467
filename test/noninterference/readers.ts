import { WebSocket } from 'ws';
import type { StreamEvent } from '../../kernel/contract/index.js';

/** Something that a reader received. */
export interface Received {
  /** Number of the step during which it came. */
  step: number;
  text: string;
}

/** All that readers received, by reader and door, such as `ben frames unread`; in the order of each. */
export class Records {
  readonly doors = new Map<string, Received[]>();
  step = 0;
  count = 0;

  add(reader: string, door: string, text: string): void {
    const key = `${reader} ${door}`;
    const records = this.doors.get(key) ?? [];
    records.push({ step: this.step, text });
    this.count += 1;
    this.doors.set(key, records);
  }
}

/** Frames whose time depends on the harness: sockets open and close when it says. */
const ignored = new Set(['hello', 'presence', 'pong']);

/** A socket that records what it gets. */
export class SocketReader {
  readonly #ws: WebSocket;
  #pong: (() => void) | undefined;

  private constructor(ws: WebSocket) {
    this.#ws = ws;
  }

  static async open(url: string, token: string, record: (door: string, text: string) => void): Promise<SocketReader> {
    const ws = new WebSocket(new URL('/ws', url.replace(/^http/, 'ws')), { headers: { authorization: `Bearer ${token}` } });
    const reader = new SocketReader(ws);
    await new Promise<void>((resolve, reject) => {
      ws.on('error', reject);
      ws.on('pong', () => reader.#pong?.());
      ws.on('message', (bytes) => {
        const { type, data } = JSON.parse(String(bytes)) as { type: string; data: object };
        if (type === 'hello') resolve();
        if (!ignored.has(type)) record(`frames ${type}`, JSON.stringify(data));
      });
    });
    return reader;
  }

  /** Waits until all frames that were sent before are here. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#pong = resolve;
      this.#ws.ping();
    });
  }

  close(): void {
    this.#ws.terminate();
  }
}

const lastEvents = new Set(['message.completed', 'message.aborted', 'message.failed']);

/** A stream that records its events until it is stopped. The deltas of one message are joined, because their sizes depend on time. */
export class StreamReader {
  readonly #stop = new AbortController();
  readonly #record: (text: string) => void;
  readonly #onEvent: ((event: StreamEvent) => void) | undefined;
  #deltas = '';
  #of = '';
  /** Replies whose last event has not come. */
  readonly unfinished = new Set<string>();
  readonly end: Promise<void>;

  constructor(
    open: (signal: AbortSignal) => AsyncIterable<StreamEvent>,
    { record, onEvent }: { record: (text: string) => void; onEvent?: (event: StreamEvent) => void },
  ) {
    this.#record = record;
    this.#onEvent = onEvent;
    this.end = this.#read(open(this.#stop.signal));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.end;
  }

  async #read(events: AsyncIterable<StreamEvent>): Promise<void> {
    try {
      for await (const event of events) this.#take(event);
    } catch (fault) {
      if (!this.#stop.signal.aborted) this.#put(`failed: ${faultText(fault)}`);
    }
    this.unfinished.clear();
    this.#flush();
  }

  #take(event: StreamEvent): void {
    this.#onEvent?.(event);
    const { type, data } = event;
    const { message_id, delta } = data as { message_id?: string; delta?: unknown };
    if (type === 'message.started') this.unfinished.add(String(message_id));
    else if (lastEvents.has(type)) this.unfinished.delete(String(message_id));
    if (typeof delta !== 'string') {
      this.#put(`${type} ${JSON.stringify({ ...data, seq: undefined })}`);
      return;
    }
    const of = `${type} ${message_id}`;
    if (this.#of !== of) this.#flush();
    this.#of = of;
    this.#deltas += delta;
  }

  #put(text: string): void {
    this.#flush();
    this.#record(text);
  }

  #flush(): void {
    if (this.#deltas !== '') this.#record(`${this.#of} ${this.#deltas}`);
    this.#deltas = '';
  }
}

/** Returns all of a failure that its caller sees. */
export function faultText(fault: unknown): string {
  const { code, status, message, details } = fault as { code?: string; status?: number; message: string; details?: unknown };
  return JSON.stringify({ code, status, message, details });
}
