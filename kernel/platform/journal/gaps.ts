import { setTimeout as sleep } from 'node:timers/promises';

/** What waits to be mended; of more topics nothing is remembered. */
const max = 20_000;
const retry_ms = 1_000;

/**
 * Topics to which something could not be appended. Their readers can't know that they miss it, so each is mended as soon as
 * the journal takes anything again: everybody who follows it finds a gap.
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

  /** It was mended in another way. */
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
      // A topic that gets another gap meanwhile is added again, and mended by the next call.
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
