import { SocketClient, type SocketFrame, type SocketState } from '../kernel/client/socket.js';
import type { Presence } from '../kernel/contract/socket.js';
import type { PresenceRecord } from '../kernel/service/presence/presences.js';
import type { Live, LiveState } from './kit/live.js';
import type { Session } from './session.js';

/** The installation's frames, for all that is drawn: one connection, which comes back by itself. */
export class LiveFrames implements Live {
  readonly #client: SocketClient | undefined;
  readonly #clock: () => number;
  readonly #listeners = new Set<(frame: SocketFrame) => void>();
  readonly #watchers = new Set<() => void>();
  /** How many want each topic. */
  readonly #wanted = new Map<string, number>();
  readonly #presence = new Map<number, Presence>();
  #state: LiveState;

  /** Where nobody runs who could tell, it is open and tells nothing. */
  constructor({ live }: Pick<Session, 'live'>, clock: () => number) {
    this.#clock = clock;
    this.#state = live ? { state: 'waiting', reason: 'connecting', since: clock() } : { state: 'open' };
    const heard = { onFrame: (frame: SocketFrame) => this.#hear(frame), onState: (state: SocketState) => this.#change(state) };
    this.#client = live && new SocketClient({ ...live, ...heard });
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
    if (count === 0) this.#ask('subscribe', topic);
    return () => this.#leave(topic);
  }

  async close(): Promise<void> {
    await this.#client?.close();
  }

  #leave(topic: string): void {
    const count = (this.#wanted.get(topic) ?? 1) - 1;
    if (count > 0) this.#wanted.set(topic, count);
    else if (this.#wanted.delete(topic)) this.#ask('unsubscribe', topic);
  }

  /** What isn't taken is asked for again with the next connection; a topic that is refused just tells nothing. */
  #ask(what: 'subscribe' | 'unsubscribe', topic: string): void {
    // What nobody wants any more isn't asked for again either, so this is told without a connection too.
    if (what === 'unsubscribe' || this.#state.state === 'open') this.#client?.[what]([topic]).catch(() => undefined);
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
    if (state.state === 'open') for (const topic of this.#wanted.keys()) this.#ask('subscribe', topic);
    for (const changed of this.#watchers) changed();
  }

  #stateOf(told: SocketState): LiveState {
    if (told.state !== 'waiting') return told.state === 'open' ? { state: 'open' } : { state: 'closed', reason: told.reason };
    const since = this.#state.state === 'waiting' ? this.#state.since : this.#clock();
    return { state: 'waiting', reason: told.reason, since };
  }
}
