import type { Failure } from '../contract/failure.js';
import { failureOfFrame, type SocketFrame } from './socket-frame.js';

interface Waiting {
  resolve(): void;
  reject(reason: unknown): void;
  timer: ReturnType<typeof setTimeout>;
}

const answer_ms = 15_000;

/** Frames that were sent and wait for their answer. */
export class SentFrames {
  readonly #unreachable: (reason: string) => Failure;
  readonly #waiting = new Map<number, Waiting>();
  #count = 0;

  /** @param unreachable creates the failure of a frame that is not answered. */
  constructor(unreachable: (reason: string) => Failure) {
    this.#unreachable = unreachable;
  }

  /** Sends a frame; resolves with the server's `ack`. Rejects with the failure of its `error`, or with `unreachable`. */
  send(post: (text: string) => void, type: string, data: object): Promise<void> {
    const id = ++this.#count;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(id, this.#unreachable(`no answer within ${answer_ms / 1000} s`)), answer_ms);
      this.#waiting.set(id, { resolve, reject, timer });
      post(JSON.stringify({ type, id, data }));
    });
  }

  /** Settles the frame that an `ack` or `error` answers. */
  take(frame: SocketFrame): void {
    if (frame.type === 'ack') this.#settle(Number(frame.id), undefined);
    else if (frame.type === 'error' && frame.id !== undefined) this.#settle(Number(frame.id), failureOfFrame(frame));
  }

  /** Rejects all frames that wait. */
  abandon(reason: string): void {
    for (const id of [...this.#waiting.keys()]) this.#settle(id, this.#unreachable(reason));
  }

  #settle(id: number, fault: unknown): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    if (fault === undefined) waiting.resolve();
    else waiting.reject(fault);
  }
}
