import { SocketClient, type SocketState } from '../kernel/client/socket.js';
import type { SocketFrame } from '../kernel/client/socket-frame.js';
import type { Presence } from '../kernel/contract/socket.js';
import type { PresenceRecord } from '../kernel/platform/presence/presences.js';
import type { Live, LiveState } from './kit/live.js';
import type { Session } from './session.js';

const gather_ms = 100;

/** Receives the installation's frames for the whole dashboard over one connection, which reconnects by itself. */
export class LiveFrames implements Live {
  readonly #client: SocketClient;
  readonly #clock: () => number;
  readonly #listeners = new Set<(frame: SocketFrame) => void>();
  readonly #watchers = new Set<() => void>();
  /** Number of subscribers by topic. */
  readonly #wanted = new Map<string, number>();
  /** Topics whose subscription has changed since the last request to the server. */
  readonly #changedTopics = new Set<string>();
  readonly #presence = new Map<number, Presence>();
  #timer: NodeJS.Timeout | undefined;
  #state: LiveState;

  /** Starts to connect. */
  constructor({ live }: Pick<Session, 'live'>, clock: () => number) {
    this.#clock = clock;
    this.#state = { state: 'waiting', reason: 'connecting', since: clock() };
    const handlers = { onFrame: (frame: SocketFrame) => this.#onFrame(frame), onState: (state: SocketState) => this.#onState(state) };
    this.#client = new SocketClient({ ...live, ...handlers });
  }

  get state(): LiveState {
    return this.#state;
  }

  get presence(): ReadonlyMap<number, Presence> {
    return this.#presence;
  }

  listen(listener: (frame: SocketFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  want(topic: string): () => void {
    const count = this.#wanted.get(topic) ?? 0;
    this.#wanted.set(topic, count + 1);
    if (count === 0) this.#subscriptionChanged(topic);
    return () => this.#release(topic);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#client.close();
  }

  #release(topic: string): void {
    const count = (this.#wanted.get(topic) ?? 1) - 1;
    if (count > 0) this.#wanted.set(topic, count);
    else if (this.#wanted.delete(topic)) this.#subscriptionChanged(topic);
  }

  /** Batches changes: the server limits frames per second, and views may open and close quickly. */
  #subscriptionChanged(topic: string): void {
    this.#changedTopics.add(topic);
    this.#timer ??= setTimeout(() => this.#updateSubscriptions(), gather_ms);
  }

  #updateSubscriptions(): void {
    this.#timer = undefined;
    const topics = [...this.#changedTopics];
    this.#changedTopics.clear();
    const [wanted, left] = [true, false].map((is) => topics.filter((topic) => this.#wanted.has(topic) === is)) as [string[], string[]];
    if (wanted.length > 0) this.#client.want(wanted);
    // Also called without a connection: the client must not subscribe again after a reconnect.
    if (left.length > 0) this.#client.unsubscribe(left).catch(() => undefined);
  }

  #onFrame(frame: SocketFrame): void {
    // The server sends the presence of everybody after each connect.
    if (frame.type === 'hello') this.#presence.clear();
    if (frame.type === 'presence') this.#setPresence(frame.data as unknown as PresenceRecord);
    for (const listener of this.#listeners) listener(frame);
  }

  #setPresence({ member_id, status, last_seen_at }: PresenceRecord): void {
    this.#presence.set(member_id, { status, last_seen_at });
  }

  #onState(state: SocketState): void {
    this.#state = this.#stateOf(state);
    for (const changed of this.#watchers) changed();
  }

  #stateOf(socket: SocketState): LiveState {
    if (socket.state !== 'waiting') return socket.state === 'open' ? { state: 'open' } : { state: 'closed', reason: socket.reason };
    const since = this.#state.state === 'waiting' ? this.#state.since : this.#clock();
    return { state: 'waiting', reason: socket.reason, since };
  }
}
