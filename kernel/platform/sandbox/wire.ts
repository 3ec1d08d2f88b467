import type { Duplex } from 'node:stream';
import { Budget } from '../../core/limits/budget.js';
import { type Frame, isFrame, laneOf } from './frame.js';
import { Inbox, Malformed } from './inbox.js';
import {
  flood_window_ms,
  frame_bytes,
  message_bytes,
  pipe_bytes,
  queued_bytes,
  streams_ahead_bytes,
  turn_bytes,
  unexpected_frames,
} from './limits.js';
import { Outbox } from './outbox.js';

export interface WireEvents {
  /** Called for each frame; `bytes` is the length of its text. */
  frame(frame: Frame, bytes: number): void;
  /** Called once, at the end. `fault` is the other side's violation; undefined if it is just gone. */
  closed(fault: string | undefined): void;
}

/** Thrown for a message above the limit. */
export class TooLong extends Error {
  constructor(bytes: number, limit: number) {
    super(`it has ${bytes} bytes; the limit is ${limit}`);
  }
}

/** Sends frames over a duplex stream: a line of JSON each, at most 64 KiB; writes of one tick are batched. */
export class Wire {
  readonly #socket: Duplex;
  readonly #events: WireEvents;
  readonly #outbox = new Outbox();
  readonly #inbox: Inbox;
  #scheduled = false;
  #blocked = false;
  #closed = false;
  /** Resolvers of streams that wait for room. */
  #waiting: (() => void)[] = [];
  #fault: string | undefined;
  readonly #unexpected = new Budget(unexpected_frames, flood_window_ms);
  /** Bytes read in this turn of the event loop. */
  #turnBytes = 0;
  /** Written bytes that the other side has not acknowledged. */
  #unacknowledged = 0;
  /** Received bytes that have not been acknowledged to the other side. */
  #received = 0;
  /** Length of the current frame. */
  #frameBytes = 0;

  constructor(socket: Duplex, events: WireEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#inbox = new Inbox((text, bytes) => this.#message(text, bytes));
    socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    socket.on('drain', () => {
      this.#blocked = false;
      this.#flush();
    });
    // `close` follows and reports a broken pipe.
    socket.on('error', () => {});
    socket.on('close', () => this.#close());
  }

  /** Size of the queue to the other side. */
  get queued(): number {
    return this.#outbox.queued;
  }

  get overfull(): boolean {
    return this.#outbox.queued > queued_bytes;
  }

  /**
   * Resolves when a stream may continue; undefined if it may now. Otherwise streams would fill the queue and block the
   * event loop.
   */
  room(): Promise<void> | undefined {
    if (this.#outbox.ahead < streams_ahead_bytes || this.#closed) return undefined;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /**
   * Sends a frame; returns its length in bytes. Does nothing after the end.
   *
   * @throws TooLong
   * @throws TypeError if the frame can't be JSON (a cycle, a bigint)
   */
  send(frame: Frame, limit = message_bytes): number {
    const line = JSON.stringify(frame);
    const bytes = Buffer.byteLength(line);
    if (bytes > limit) throw new TooLong(bytes, limit);
    if (this.#closed) return bytes;
    if (isUrgent(frame)) this.#outbox.addUrgent(line);
    else this.#outbox.add(line, bytes, () => laneOf(frame), frame.type === 'event');
    if (this.#outbox.queued > 2 * queued_bytes) this.fail('it does not read its messages');
    this.#schedule();
    return bytes;
  }

  /** Counts the current frame as unexpected; disconnects the other side after too many. */
  countUnexpected(): void {
    if (!this.#unexpected.use(1 + this.#frameBytes / 4096)) this.fail('it floods its pipe with unexpected messages');
  }

  /** Disconnects the other side. */
  fail(fault: string): void {
    this.#fault ??= fault;
    this.#socket.destroy();
    this.#close();
  }

  #schedule(): void {
    if (this.#scheduled || this.#blocked) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (!this.#blocked && !this.#closed) {
      const batch = this.#outbox.take(this.#unacknowledged < pipe_bytes);
      if (batch === undefined) break;
      this.#unacknowledged += Buffer.byteLength(batch);
      this.#blocked = !this.#socket.write(batch);
    }
    if (this.#outbox.ahead < streams_ahead_bytes / 2) this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #receive(chunk: Buffer): void {
    if (this.#closed) return;
    this.#yieldAfterTurn(chunk.length);
    this.#acknowledge(chunk.length);
    try {
      this.#inbox.push(chunk);
    } catch (fault) {
      if (!(fault instanceof Malformed)) throw fault;
      this.fail(`it sent an invalid frame: ${fault.message}`);
    }
  }

  #acknowledge(bytes: number): void {
    this.#received += bytes;
    if (this.#received < pipe_bytes / 4) return;
    this.send({ type: 'taken', bytes: this.#received });
    this.#received = 0;
  }

  /** Pauses reading after a limit per turn: otherwise Node reads two megabytes before anything else runs. */
  #yieldAfterTurn(bytes: number): void {
    if (this.#turnBytes === 0) {
      setImmediate(() => {
        this.#turnBytes = 0;
        if (this.#socket.isPaused()) this.#socket.resume();
      });
    }
    this.#turnBytes += bytes;
    if (this.#turnBytes >= turn_bytes) this.#socket.pause();
  }

  #onAcknowledged(bytes: number): void {
    if (bytes > this.#unacknowledged) this.countUnexpected();
    this.#unacknowledged = Math.max(0, this.#unacknowledged - bytes);
    this.#flush();
  }

  #message(text: string, bytes: number): void {
    if (this.#closed) return;
    const frame = parse(text);
    if (!isFrame(frame)) throw new Malformed(bytes < frame_bytes ? `'${text.slice(0, 100)}'` : `${bytes} bytes of something else`);
    this.#frameBytes = bytes;
    if (frame.type === 'taken') this.#onAcknowledged(frame.bytes);
    else this.#events.frame(frame, bytes);
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#wake();
    this.#events.closed(this.#fault);
  }
}

function isUrgent({ type }: Frame): boolean {
  return type === 'ping' || type === 'pong' || type === 'taken';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
