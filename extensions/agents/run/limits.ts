import type { Failure, Log } from '../../../kernel/contract/index.js';
import { fail } from '../codes.js';
import type { LimitReached, RunLimit } from '../contract.js';

export interface RunLimits {
  /** Answers of the model. */
  steps: number;
  /** Read and written, together. */
  tokens: number;
  /** Without the time in which a person is waited for. */
  seconds: number;
}

/** Measures the time of a run, and stands while a person is waited for. */
export class Stopwatch {
  readonly #limit_ms: number;
  readonly #late: () => void;
  #spent_ms = 0;
  #since: number | undefined;
  #paused = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limit_ms: number, late: () => void) {
    this.#limit_ms = limit_ms;
    this.#late = late;
    this.#go();
  }

  /** Waits for something whose time doesn't count. */
  async paused<T>(work: Promise<T>): Promise<T> {
    if (this.#paused === 0) this.stop();
    this.#paused += 1;
    try {
      return await work;
    } finally {
      this.#paused -= 1;
      if (this.#paused === 0) this.#go();
    }
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#since !== undefined) this.#spent_ms += performance.now() - this.#since;
    this.#since = undefined;
  }

  #go(): void {
    this.#since = performance.now();
    // A timer takes no more than 2^31 ms.
    this.#timer = setTimeout(this.#late, Math.min(Math.max(0, this.#limit_ms - this.#spent_ms), 2_147_483_647));
  }
}

/** What one run may take. */
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

  /** Why the run ends, where it has reached one. */
  get reached(): Failure | undefined {
    return this.#reached;
  }

  /** Before each answer of the model. Fails with `step_limit` or `token_limit`. */
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

/** Who is told that a run has reached a limit. */
export interface LimitListener {
  /** Tells other extensions. */
  limitReached: (event: LimitReached) => Promise<void>;
  log: Log;
}

/** Tells of it; the run has ended whether that succeeds or not. */
export async function tellReached(
  { limitReached, log }: LimitListener,
  { code, message }: Failure,
  run: Omit<LimitReached, 'code' | 'message'>,
): Promise<void> {
  await limitReached({ ...run, code: code as RunLimit, message }).catch((fault: unknown) =>
    log.warn('A limit that a run has reached could not be told of', { ...run, err: fault }),
  );
}
