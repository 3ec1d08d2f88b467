import { Duplex } from 'node:stream';

/**
 * Two ends of a connection within this process. What is written at one is read at the other a moment later, never within
 * the same call, as over the system's sockets: libraries rely on that, and Node's own `duplexPair` is not so.
 */
export function innerPair(): [Duplex, Duplex] {
  const [one, other] = [new End(), new End()];
  one.other = other;
  other.other = one;
  return [one, other];
}

class End extends Duplex {
  other: End | undefined;
  /** What this end has room for again. */
  #taken: (() => void) | undefined;

  override _read(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
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

  /** Who is cut off is told, whatever the other end waits for. */
  override _destroy(fault: Error | null, done: (fault: Error | null) => void): void {
    setImmediate(() => this.other?.destroy());
    done(fault);
  }

  private give(chunk: Buffer, done: () => void): void {
    if (this.destroyed || this.push(chunk)) done();
    else this.#taken = done;
  }
}
