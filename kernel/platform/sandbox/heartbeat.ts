export interface HeartbeatOptions {
  every_ms: number;
  /** Pings the other side. */
  ping: (answered: () => void) => void;
  /** Called after two missed pings in a row. */
  dead: () => void;
}

const tolerated = 2;

/** Detects whether the other side's event loop is blocked. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #timer: NodeJS.Timeout | undefined;
  #missed = 0;
  #waiting = false;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => this.#beat(), this.#options.every_ms);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #beat(): void {
    if (!this.#waiting) this.#ask();
    else this.#missed += 1;
    if (this.#missed < tolerated) return;
    this.stop();
    this.#options.dead();
  }

  #ask(): void {
    this.#waiting = true;
    this.#options.ping(() => {
      this.#waiting = false;
      this.#missed = 0;
    });
  }
}
