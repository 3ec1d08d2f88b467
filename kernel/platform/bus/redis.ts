import { randomUUID } from 'node:crypto';
import type { Log } from '../../contract/extension.js';
import type { Bus } from '../../contract/journal.js';
import { within } from '../../contract/within.js';
import type { Connection } from './connection.js';
import { encodeMessage } from './failures.js';
import { deliver, firstAnswer, type Handler, Handlers, type Responder } from './handlers.js';
import type { Subscriptions } from './subscriptions.js';

export interface RedisBusOptions {
  commands: Connection;
  subscriptions: Subscriptions;
  log: Log;
}

interface Question {
  id: string;
  /** Channel for the answer. */
  reply_to: string;
  message: object;
}

interface Reply {
  id: string;
  answer?: object;
}

/** A request that awaits its answer. */
interface Pending {
  resolve(answer: object | undefined): void;
  /** Instances that have replied, and how many were asked, once that is known. */
  replied: number;
  asked: number;
}

const messages = (channel: string): string => `platform:bus:${channel}`;
const questions = (channel: string): string => `platform:ask:${channel}`;

/** The bus of all instances on one Redis: publish/subscribe, and replies by correlation id. */
export class RedisBus implements Bus {
  readonly #options: RedisBusOptions;
  readonly #responders = new Handlers<Responder>();
  readonly #answering = new Map<string, Promise<() => void>>();
  readonly #pending = new Map<string, Pending>();
  readonly #replyTo = `platform:reply:${randomUUID()}`;
  #listening: Promise<() => void> | undefined;

  constructor(options: RedisBusOptions) {
    this.#options = options;
  }

  async publish(channel: string, message: object): Promise<void> {
    await this.#publish(messages(channel), encodeMessage(channel, message));
  }

  async subscribe(channel: string, handler: Handler): Promise<() => Promise<void>> {
    const { subscriptions, log } = this.#options;
    const remove = await subscriptions.add(messages(channel), (json) => deliver([handler], json, { log, channel }));
    return async () => remove();
  }

  request(channel: string, message: object, timeout_ms: number): Promise<object | undefined> {
    const id = randomUUID();
    const answer = this.#ask(id, channel, message);
    return within(timeout_ms, answer, () => undefined).finally(() => {
      this.#pending.get(id)?.resolve(undefined);
      this.#pending.delete(id);
    });
  }

  async respond(channel: string, handler: Responder): Promise<() => Promise<void>> {
    const remove = this.#responders.add(channel, handler);
    const end = async (): Promise<void> => {
      if (!remove()) return;
      const answering = this.#answering.get(channel);
      this.#answering.delete(channel);
      (await answering)?.();
    };
    try {
      await (this.#answering.get(channel) ?? this.#startAnswering(channel));
    } catch (error) {
      remove();
      this.#answering.delete(channel);
      throw error;
    }
    return end;
  }

  #startAnswering(channel: string): Promise<() => void> {
    const started = this.#options.subscriptions.add(questions(channel), (json) => void this.#answer(channel, JSON.parse(json) as Question));
    this.#answering.set(channel, started);
    return started;
  }

  async #answer(channel: string, question: Question): Promise<void> {
    const { log } = this.#options;
    const answer = await firstAnswer(this.#responders.of(channel), JSON.stringify(question.message), { log, channel });
    const reply: Reply = { id: question.id, ...(answer === undefined ? {} : { answer }) };
    try {
      await this.#publish(question.reply_to, encodeMessage(channel, reply));
    } catch (error) {
      log.warn(`An answer on bus channel '${channel}' could not be sent`, { error });
    }
  }

  async #ask(id: string, channel: string, message: object): Promise<object | undefined> {
    await this.#listen();
    const question: Question = { id, reply_to: this.#replyTo, message };
    const answer = new Promise<object | undefined>((resolve) => {
      this.#pending.set(id, { resolve, replied: 0, asked: Number.POSITIVE_INFINITY });
    });
    const asked = await this.#publish(questions(channel), encodeMessage(channel, question));
    const pending = this.#pending.get(id);
    if (pending) pending.asked = asked;
    this.#settle(id);
    return answer;
  }

  async #listen(): Promise<void> {
    this.#listening ??= this.#options.subscriptions.add(this.#replyTo, (json) => this.#reply(JSON.parse(json) as Reply));
    try {
      await this.#listening;
    } catch (error) {
      this.#listening = undefined;
      throw error;
    }
  }

  #reply({ id, answer }: Reply): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    pending.replied += 1;
    if (answer === undefined) this.#settle(id);
    else pending.resolve(answer);
  }

  /** Resolves early if all instances have replied without an answer. */
  #settle(id: string): void {
    const pending = this.#pending.get(id);
    if (pending && pending.replied >= pending.asked) pending.resolve(undefined);
  }

  #publish(channel: string, json: string): Promise<number> {
    return this.#options.commands.send((redis) => redis.publish(channel, json));
  }
}
