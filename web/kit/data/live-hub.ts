import type { QueryClient } from '@tanstack/react-query';
import type { BrowserTransport, LineState, Live } from '../../../kernel/client/browser/index.js';
import type { SocketFrame } from '../../../kernel/client/socket-frame.js';
import { Failure } from '../../../kernel/contract/failure.js';
import type { PresenceStatus } from '../../../kernel/contract/socket.js';
import { ReadAgain } from './read-again.js';
import type { Session } from './session.js';
import { Value } from './value.js';

export interface LiveState {
  readonly state: 'connecting' | 'live' | 'offline';
  /** Since when, in ms since 1970. */
  readonly since: number;
  /** When the next attempt begins. */
  readonly retry_at?: number;
}

/** Topics that carry the frames whose type begins so; all others are for everybody or for the member alone. */
const topics: Readonly<Record<string, string>> = {
  'node.': 'nodes',
  'schedule.': 'schedules',
  log: 'log',
  'agents.budget': 'agents.budget',
};

const presence_ms = 80;
/** Least time between two new connections with a new token. */
const reopen_ms = 5_000;

/** The live connection of this tab. It outlives tokens: after a new login it continues at its cursor. */
export class LiveHub {
  readonly state = new Value<LiveState>({ state: 'connecting', since: Date.now() });
  /** Presence by member, while the connection is open. */
  readonly presence = new Value<ReadonlyMap<number, PresenceStatus>>(new Map());
  readonly readAgain: ReadAgain;
  readonly #transport: BrowserTransport;
  readonly #session: Session;
  readonly #listeners = new Set<(frame: SocketFrame) => void>();
  readonly #again = new Set<() => void>();
  readonly #wanted = new Map<string, number>();
  readonly #unwant = new Map<string, () => void>();
  #live: Live | undefined;
  /** Whether what is shown may have been read before frames could arrive, or may have failed to be read. */
  #mayHaveMissed = false;
  #reopened_at = 0;
  #presenceDue: Map<number, PresenceStatus> | undefined;

  constructor({ transport, session, query }: { transport: BrowserTransport; session: Session; query: QueryClient }) {
    this.#transport = transport;
    this.#session = session;
    this.readAgain = new ReadAgain(query, this);
  }

  /** Starts to connect. */
  open(after?: string): void {
    const live = this.#transport.live(after === undefined ? {} : { after });
    this.#live = live;
    live.listen((frame) => this.#onFrame(frame));
    live.watch(() => this.#onLine(live));
    for (const topic of this.#wanted.keys()) this.#unwant.set(topic, live.want(topic));
  }

  /** Calls the listener with each frame. */
  listen(listener: (frame: SocketFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Calls the listener when everything that is shown must be read again. */
  onAgain(listener: () => void): () => void {
    this.#again.add(listener);
    return () => this.#again.delete(listener);
  }

  /** Sends a frame. Rejects with the server's failure, or with `unreachable`. */
  async send(type: string, data: object): Promise<void> {
    if (this.#live) return this.#live.send(type, data);
    throw new Failure('unreachable', 'There is no live connection', { status: 503 });
  }

  /** Tries to connect now. */
  retry(): void {
    this.#live?.retry();
  }

  /** Subscribes to the topics of these frames; returns the functions that end it. */
  wantTopicsOf(types: readonly string[]): (() => void)[] {
    const found = Object.entries(topics).filter(([prefix]) =>
      types.some((type) => type.startsWith(prefix) || (type === '*' && prefix !== 'log')),
    );
    return [...new Set(found.map(([, topic]) => topic))].map((topic) => this.#want(topic));
  }

  #want(topic: string): () => void {
    const count = this.#wanted.get(topic) ?? 0;
    this.#wanted.set(topic, count + 1);
    if (count === 0 && this.#live) this.#unwant.set(topic, this.#live.want(topic));
    let isEnded = false;
    return () => {
      if (isEnded) return;
      isEnded = true;
      const left = (this.#wanted.get(topic) ?? 1) - 1;
      if (left > 0) return void this.#wanted.set(topic, left);
      this.#wanted.delete(topic);
      this.#unwant.get(topic)?.();
      this.#unwant.delete(topic);
    };
  }

  #onFrame(frame: SocketFrame): void {
    if (frame.type === 'hello') this.#gatherPresence(new Map());
    if (frame.type === 'presence') this.#setPresence(frame.data as unknown as { member_id: number; status: PresenceStatus });
    if (frame.type === 'resync') this.#readAll();
    for (const listener of [...this.#listeners]) listener(frame);
  }

  #setPresence({ member_id, status }: { member_id: number; status: PresenceStatus }): void {
    this.#gatherPresence(this.#presenceDue ?? new Map(this.presence.get())).set(member_id, status);
  }

  /** Gathers changes: the server sends everybody's presence at once after each connect. */
  #gatherPresence(due: Map<number, PresenceStatus>): Map<number, PresenceStatus> {
    if (this.#presenceDue === undefined) setTimeout(() => this.#publishPresence(), presence_ms);
    this.#presenceDue = due;
    return due;
  }

  #publishPresence(): void {
    if (this.#presenceDue) this.presence.set(this.#presenceDue);
    this.#presenceDue = undefined;
  }

  #onLine(live: Live): void {
    if (live !== this.#live) return;
    const line = live.state;
    this.#publish(line);
    if (line.state === 'live') {
      // Frames to topics and to everybody aren't stored, so some may have been missed although it resumed.
      if (this.#mayHaveMissed) this.#readAll();
      this.#mayHaveMissed = true;
    }
    // A first attempt that failed: reads have failed, too, and nothing else would repeat them.
    if (line.state === 'offline') this.#mayHaveMissed = true;
    if (line.state === 'ended' && line.reason !== 'closed') void this.#reopen(live);
  }

  /** Connects again once the member has a valid token. */
  async #reopen(live: Live): Promise<void> {
    this.#live = undefined;
    this.#unwant.clear();
    // A server that refuses each new token, too, isn't asked all the time.
    const isSoon = Date.now() - this.#reopened_at < reopen_ms;
    this.#reopened_at = Date.now();
    const token = isSoon ? undefined : await this.#session.renew().catch(() => undefined);
    if (token !== undefined) return this.open(live.cursor);
    // The server couldn't be asked, or this tab is about to leave.
    if (this.#session.state.get().phase === 'in') setTimeout(() => void this.#reopen(live), reopen_ms + 1);
  }

  #publish(line: LineState): void {
    const before = this.state.get();
    const state = line.state === 'ended' ? 'offline' : line.state;
    const since = before.state === state ? before.since : Date.now();
    this.state.set(line.state === 'offline' ? { state, since, retry_at: line.retry_at } : { state, since });
  }

  #readAll(): void {
    for (const listener of [...this.#again]) listener();
  }
}
