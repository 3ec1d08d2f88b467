import { SocketClient, type SocketFrame, type SocketState } from '../kernel/client/socket.js';
import type { Presence } from '../kernel/contract/socket.js';
import type { PresenceRecord } from '../kernel/platform/presence/presences.js';
import type { Live, LiveState } from './kit/live.js';
import type { Session } from './session.js';

const gather_ms = 100;

/** The installation's frames, for all that is drawn: one connection, which comes back by itself. */
export class LiveFrames implements Live {
  readonly #client: SocketClient;
  readonly #clock: () => number;
  readonly #listeners = new Set<(frame: SocketFrame) => void>();
  readonly #watchers = new Set<() => void>();
  /** How many want each topic. */
  readonly #wanted = new Map<string, number>();
  /** Those that have come to be wanted, or to be not, since the server was told last. */
  readonly #turning = new Set<string>();
  readonly #presence = new Map<number, Presence>();
  #timer: NodeJS.Timeout | undefined;
  #state: LiveState;

  /** Begins to connect. */
  constructor({ live }: Pick<Session, 'live'>, clock: () => number) {
    this.#clock = clock;
    this.#state = { state: 'waiting', reason: 'connecting', since: clock() };
    const heard = { onFrame: (frame: SocketFrame) => this.#hear(frame), onState: (state: SocketState) => this.#change(state) };
    this.#client = new SocketClient({ ...live, ...heard });
  }

  get state(): LiveState {
    return this.#state;
  }

  get presence(): ReadonlyMap<number, Presence> {
    return this.#presence;
  }

  listen(heard: (frame: SocketFrame) => void): () => void {
    this.#listeners.add(heard);
    return () => this.#listeners.delete(heard);
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  want(topic: string): () => void {
    const count = this.#wanted.get(topic) ?? 0;
    this.#wanted.set(topic, count + 1);
    if (count === 0) this.#turned(topic);
    return () => this.#leave(topic);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#client.close();
  }

  #leave(topic: string): void {
    const count = (this.#wanted.get(topic) ?? 1) - 1;
    if (count > 0) this.#wanted.set(topic, count);
    else if (this.#wanted.delete(topic)) this.#turned(topic);
  }

  /** Told together: the server counts frames by the second, and views may come and go quickly. */
  #turned(topic: string): void {
    this.#turning.add(topic);
    this.#timer ??= setTimeout(() => this.#ask(), gather_ms);
  }

  #ask(): void {
    this.#timer = undefined;
    const topics = [...this.#turning];
    this.#turning.clear();
    const [wanted, left] = [true, false].map((is) => topics.filter((topic) => this.#wanted.has(topic) === is)) as [string[], string[]];
    if (wanted.length > 0) this.#client.want(wanted);
    // What isn't heard of is not asked for again, so this is told without a connection too.
    if (left.length > 0) this.#client.unsubscribe(left).catch(() => undefined);
  }

  #hear(frame: SocketFrame): void {
    // After each connection everybody who is there is told.
    if (frame.type === 'hello') this.#presence.clear();
    if (frame.type === 'presence') this.#note(frame.data as unknown as PresenceRecord);
    for (const heard of this.#listeners) heard(frame);
  }

  #note({ member_id, status, last_seen_at }: PresenceRecord): void {
    this.#presence.set(member_id, { status, last_seen_at });
  }

  #change(state: SocketState): void {
    this.#state = this.#stateOf(state);
    for (const changed of this.#watchers) changed();
  }

  #stateOf(told: SocketState): LiveState {
    if (told.state !== 'waiting') return told.state === 'open' ? { state: 'open' } : { state: 'closed', reason: told.reason };
    const since = this.#state.state === 'waiting' ? this.#state.since : this.#clock();
    return { state: 'waiting', reason: told.reason, since };
  }
}
