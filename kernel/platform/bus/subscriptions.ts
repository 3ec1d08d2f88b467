import type { Redis } from 'ioredis';
import type { Log } from '../../contract/extension.js';
import { Connection } from './connection.js';

type Listener = (message: string) => void;

interface Channel {
  readonly listeners: Set<{ heard: Listener }>;
  /** Settles when the server has confirmed the subscription. */
  confirmed: Promise<void>;
}

/** Limit of channels in one command. */
const CHUNK = 500;

/**
 * The subscribing connection of the process. Each channel is subscribed once for all its listeners,
 * and again after a reconnect. Messages in between are lost; `onBack` reports that.
 */
export class Subscriptions {
  readonly #connection: Connection;
  readonly #channels = new Map<string, Channel>();
  readonly #onBack = new Set<() => void>();

  constructor({ url, log }: { url: string; log: Log }) {
    this.#connection = new Connection({
      url,
      log,
      name: 'subscriptions',
      prepare: (redis) => this.#resubscribe(redis),
      onReady: () => {
        for (const back of this.#onBack) back();
      },
    });
    this.#connection.onMessage((channel, message) => {
      for (const { heard } of this.#channels.get(channel)?.listeners ?? []) heard(message);
    });
  }

  connected(): Promise<void> {
    return this.#connection.connected();
  }

  /** Registers a function called after each connect, when messages may have been missed. */
  onBack(back: () => void): void {
    this.#onBack.add(back);
  }

  /** Subscribes; resolves when messages arrive, with the function that unsubscribes. */
  async add(name: string, heard: Listener): Promise<() => void> {
    const channel = this.#channels.get(name) ?? this.#open(name);
    const listener = { heard };
    channel.listeners.add(listener);
    const remove = (): void => {
      if (channel.listeners.delete(listener) && channel.listeners.size === 0) this.#drop(name, channel);
    };
    try {
      await channel.confirmed;
    } catch (error) {
      remove();
      throw error;
    }
    return remove;
  }

  close(): void {
    this.#channels.clear();
    this.#connection.close();
  }

  #open(name: string): Channel {
    const confirmed = this.#connection.send(async (redis) => void (await redis.subscribe(name)));
    // Listeners await it; without listeners the error is ignored.
    confirmed.catch(() => {});
    const channel: Channel = { listeners: new Set(), confirmed };
    this.#channels.set(name, channel);
    return channel;
  }

  #drop(name: string, channel: Channel): void {
    if (this.#channels.get(name) !== channel) return;
    this.#channels.delete(name);
    // Without a connection there is no subscription; a reconnect subscribes only to listed channels.
    if (this.#connection.ready) this.#connection.send(async (redis) => void (await redis.unsubscribe(name))).catch(() => {});
  }

  async #resubscribe(redis: Redis): Promise<void> {
    const names = [...this.#channels.keys()];
    for (let from = 0; from < names.length; from += CHUNK) await redis.subscribe(...names.slice(from, from + CHUNK));
    const left = names.filter((name) => !this.#channels.has(name));
    if (left.length > 0) await redis.unsubscribe(...left);
  }
}
