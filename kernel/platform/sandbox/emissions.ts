import { fail } from '../../contract/failure.js';
import { Budget } from '../../core/limits/budget.js';
import { emits_per_minute, emitted_length, emitted_per_minute } from './limits.js';

const minute_ms = 60_000;

/** Limits the events of a plugin: each is stored for days, even without listeners. */
export class Emissions {
  readonly #events = new Budget(emits_per_minute, minute_ms);
  readonly #characters = new Budget(emitted_per_minute, minute_ms);

  /** Counts an event. Fails with `payload_too_large` or `rate_limited` above the limits. */
  count(payload: unknown): void {
    const { length } = JSON.stringify(payload) ?? '';
    if (length > emitted_length)
      throw fail('payload_too_large', `An event's payload may have ${emitted_length} characters as JSON, not ${length}`);
    if (this.#events.use() && this.#characters.use(length)) return;
    throw fail('rate_limited', `A plugin may emit ${emits_per_minute} events a minute, of ${emitted_per_minute} characters together`, {
      retry_after: this.#events.renews_in_s,
    });
  }
}
