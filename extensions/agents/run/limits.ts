import type { Failure, Log } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { LimitReached, RunLimit } from '../contract.js';

export interface RunLimits {
  /** Answers of the model. */
  steps: number;
  /** Input and output tokens together. */
  tokens: number;
  /** Time without waiting for people. */
  seconds: number;
}

/** Measures the time of a run; paused while waiting for a person. */
export class Stopwatch {
  readonly #limit_ms: number;
  readonly #late: () => void;
  #spent_ms = 0;
  #since: number | undefined;
  #paused = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit_ms: number, onExpired: () => void) {
    this.#limit_ms = limit_ms;
    this.#late = onExpired;
    this.#start();
  }

  /** Awaits work whose time doesn't count. */
  async paused<T>(work: Promise<T>): Promise<T> {
    if (this.#paused === 0) this.stop();
    this.#paused += 1;
    try {
      return await work;
    } finally {
      this.#paused -= 1;
      if (this.#paused === 0) this.#start();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#since !== undefined) this.#spent_ms += performance.now() - this.#since;
    this.#since = undefined;
  }

  #start(): void {
    this.#since = performance.now();
    // The maximum delay of a timer is 2^31 ms.
    this.#timer = setTimeout(this.#late, Math.min(Math.max(0, this.#limit_ms - this.#spent_ms), 2_147_483_647));
  }
}

/** Enforces the limits of one run. */
export class Limits {
  readonly stopwatch: Stopwatch;
  /** Aborts when the time is up. */
  readonly signal: AbortSignal;
  readonly #limits: RunLimits;
  #steps = 0;
  #tokens = 0;
  #reached: Failure | undefined;

  constructor(limits: RunLimits) {
    const controller = new AbortController();
    this.#limits = limits;
    this.signal = controller.signal;
    this.stopwatch = new Stopwatch(limits.seconds * 1000, () =>
      controller.abort(
        this.#reach(
          'timeout',
          `The run took longer than ${limits.seconds} s, which is this AI employee's limit (limits.seconds, or PLATFORM_RUN_S for all)`,
        ),
      ),
    );
  }

  /** Failure of the limit that ended the run, if any. */
  get reached(): Failure | undefined {
    return this.#reached;
  }

  /** Counts a step, before each answer of the model. Fails with `step_limit` or `token_limit`. */
  step(): void {
    const { steps, tokens } = this.#limits;
    if (this.#tokens >= tokens)
      throw this.#reach('token_limit', `The run has used ${this.#tokens} tokens; this AI employee's limit is ${tokens}`);
    if (this.#steps >= steps) throw this.#reach('step_limit', `The run has taken ${steps} steps, which is this AI employee's limit`);
    this.#steps += 1;
  }

  spend(tokens: number): void {
    this.#tokens += tokens;
  }

  end(): void {
    this.stopwatch.stop();
  }

  #reach(code: RunLimit, sentence: string): Failure {
    this.#reached ??= fail(code, sentence);
    return this.#reached;
  }
}

/** Receiver of reached limits. */
export interface LimitListener {
  /** Emits the event to other extensions. */
  limitReached: (event: LimitReached) => Promise<void>;
  log: Log;
}

/** Announces a reached limit; the run has ended even if that fails. */
export async function announceLimit(
  { limitReached, log }: LimitListener,
  { code, message }: Failure,
  run: Omit<LimitReached, 'code' | 'message'>,
): Promise<void> {
  await limitReached({ ...run, code: code as RunLimit, message }).catch((fault: unknown) =>
    log.warn('Could not announce the limit that a run reached', { ...run, err: fault }),
  );
}
