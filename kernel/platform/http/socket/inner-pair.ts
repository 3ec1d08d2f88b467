import { Duplex } from 'node:stream';

/**
 * Creates two ends of an in-process connection. Writes arrive asynchronously, never within the same call, like over real
 * sockets: libraries rely on that, and Node's `duplexPair` doesn't do it.
 */
export function innerPair(): [Duplex, Duplex] {
  const [one, other] = [new End(), new End()];
  one.other = other;
  other.other = one;
  return [one, other];
}

class End extends Duplex {
  other: End | undefined;
  /** Signals that this end has room again. */
  #onRoom: (() => void) | undefined;

  override _read(): void {
    const onRoom = this.#onRoom;
    this.#onRoom = undefined;
    onRoom?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    setImmediate(() => this.other?.give(chunk, done));
  }

  override _final(done: () => void): void {
    setImmediate(() => {
      this.other?.push(null);
      done();
    });
  }

  /** Destroys the other end too, whatever it waits for. */
  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    setImmediate(() => this.other?.destroy());
    done(fault);
  }

  private give(chunk: Buffer, done: () => void): void {
    if (this.destroyed || this.push(chunk)) done();
    else this.#onRoom = done;
  }
}
