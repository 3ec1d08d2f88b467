import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import { within } from '../../contract/within.js';
import { encodeMessage } from './failures.js';
import { deliver, firstAnswer, type Handler, Handlers, type Responder } from './handlers.js';

/** The async context of the program's start: no request, no transaction, no caller. */
const outside = AsyncLocalStorage.snapshot();

/**
 * The bus of one process. Messages are copied and delivered asynchronously, like over a network: handlers don't run in the
 * sender's context.
 */
export class MemoryBus implements Bus {
  readonly #log: Log;
  readonly #handlers = new Handlers<Handler>();
  readonly #responders = new Handlers<Responder>();

  constructor(log: Log) {
    this.#log = log;
  }

  async publish(channel: string, message: object): Promise<void> {
    const json = encodeMessage(channel, message);
    setImmediate(() => outside(() => deliver(this.#handlers.of(channel), json, { log: this.#log, channel })));
  }

  async subscribe(channel: string, handler: Handler): Promise<() => Promise<void>> {
    const remove = this.#handlers.add(channel, handler);
    return async () => void remove();
  }

  async request(channel: string, message: object, timeout_ms: number): Promise<object | undefined> {
    const json = encodeMessage(channel, message);
    const answer = outside(() => firstAnswer(this.#responders.of(channel), json, { log: this.#log, channel }));
    const given = await within(timeout_ms, answer, () => undefined);
    return given && (JSON.parse(encodeMessage(channel, given)) as object);
  }

  async respond(channel: string, handler: Responder): Promise<() => Promise<void>> {
    const remove = this.#responders.add(channel, handler);
    return async () => void remove();
  }

  close(): void {
    this.#handlers.clear();
    this.#responders.clear();
  }
}
