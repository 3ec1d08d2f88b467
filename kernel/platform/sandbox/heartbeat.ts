export interface HeartbeatOptions {
  every_ms: number;
  /** Asks for a sign of life. */
  ping: (answered: () => void) => void;
  /** Two in a row were missed. */
  dead: () => void;
}

const tolerated = 2;

/** Sees whether the other side still turns its loop. */
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
