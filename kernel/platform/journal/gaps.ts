import { setTimeout as sleep } from 'node:timers/promises';

/** Limit of remembered topics; further ones are ignored. */
const max = 20_000;
const retry_ms = 1_000;

/**
 * Remembers topics with failed appends. Their readers can't know that they miss entries, so each topic gets a gap as soon as
 * the journal accepts writes again.
 */
export class Gaps {
  readonly #mend: (topic: string) => Promise<unknown>;
  readonly #topics = new Set<string>();
  #isMending = false;
  #isClosed = false;

  /** @param mend - makes a gap in a topic */
  constructor(mend: (topic: string) => Promise<unknown>) {
    this.#mend = mend;
  }

  add(topic: string): void {
    if (this.#topics.size < max) this.#topics.add(topic);
    if (!this.#isMending) void this.#run();
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0 && !this.#isMending;
  }

  /** Removes a topic that has got its gap in another way. */
  delete(topic: string): void {
    this.#topics.delete(topic);
  }

  close(): void {
    this.#isClosed = true;
    this.#topics.clear();
  }

  async #run(): Promise<void> {
    this.#isMending = true;
    for (let [topic] = this.#topics; topic !== undefined; [topic] = this.#topics) {
      // Removed first: a topic that gets another gap meanwhile is added again.
      this.#topics.delete(topic);
      if ((await this.#isMended(topic)) || this.#isClosed) continue;
      this.#topics.add(topic);
      await sleep(retry_ms, undefined, { ref: false });
    }
    this.#isMending = false;
  }

  #isMended(topic: string): Promise<boolean> {
    return this.#mend(topic).then(
      () => true,
      () => false,
    );
  }
}
