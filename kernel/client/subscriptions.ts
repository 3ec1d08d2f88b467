const pause_ms = 40;

/** Topics that a socket subscribes to after each connect. */
export class Subscriptions {
  readonly #topics: Set<string>;
  readonly #send: (type: 'subscribe', data: { topics: readonly string[] }) => Promise<void>;
  #queue: Promise<void> = Promise.resolve();
  /** Number of the connection; 0 if there is none. */
  #connection = 0;
  #count = 0;

  constructor(topics: readonly string[], send: (type: 'subscribe', data: { topics: readonly string[] }) => Promise<void>) {
    this.#topics = new Set(topics);
    this.#send = send;
  }

  /** Subscribes to all topics on a new connection. */
  opened(): void {
    this.#connection = ++this.#count;
    this.#enqueue([...this.#topics]);
  }

  closed(): void {
    this.#connection = 0;
  }

  /** Adds topics that are subscribed to already. */
  add(topics: readonly string[]): void {
    for (const topic of topics) this.#topics.add(topic);
  }

  /** Subscribes to all permitted topics now and after each reconnect; ignores the others. */
  want(topics: readonly string[]): void {
    this.add(topics);
    this.#enqueue(topics);
  }

  remove(topics: readonly string[]): void {
    for (const topic of topics) this.#topics.delete(topic);
  }

  /** Queues a subscription: the server limits frames per second. */
  #enqueue(topics: readonly string[]): void {
    const connection = this.#connection;
    this.#queue = this.#queue.then(() => this.#subscribeWithin(topics, connection));
  }

  /**
   * Subscribes to a list. The server accepts all topics or none, so each half of a refused list is retried separately. A topic that is
   * refused alone is reported like every error frame, and retried with the next connection.
   */
  async #subscribeWithin(all: readonly string[], connection: number): Promise<void> {
    const topics = all.filter((topic) => this.#topics.has(topic));
    if (topics.length === 0 || connection === 0 || this.#connection !== connection) return;
    const isAccepted = await this.#send('subscribe', { topics }).then(
      () => true,
      () => false,
    );
    if (isAccepted || topics.length === 1) return;
    const half = Math.ceil(topics.length / 2);
    for (const part of [topics.slice(0, half), topics.slice(half)]) {
      await new Promise((resolve) => setTimeout(resolve, pause_ms));
      await this.#subscribeWithin(part, connection);
    }
  }
}
