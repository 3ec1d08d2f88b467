import { setTimeout as sleep } from 'node:timers/promises';
import type { Attachments } from './attachments.js';
import type { Ask, Client } from './client.js';
import { FrameSocket, type TakeFrame } from './frame-socket.js';
import { idleTime, pickAction } from './model.js';
import type { MessageRecord, Timelines } from './timelines.js';
import { randomOf } from './words.js';

/** A member for whom somebody acts. */
export interface Identity {
  member_id: number;
  username: string;
  token: string;
  is_admin: boolean;
}

/** Everything that the people of a process share. */
export interface World {
  url: string;
  password: string;
  client: Client;
  attachments: Attachments;
  timelines: Timelines;
  /** All people, also those of earlier stages. */
  people: Identity[];
  /** Counters since the last report. */
  counts: { frames: number; lost_sockets: number; actions: number };
}

/** A session in a person's list. */
export interface Listed {
  id: string;
  title: string;
  target_type: string;
  member_count: number;
}

/** Title with which rooms begin that stand for conversations of a few people. */
export const group_title = 'Group';
/** Time before a lost socket is opened again, as theirs. */
const reopen_ms = 3_000;
const cursor = /"cursor":"([^"]+)"/;
const messageId = /"message":\{"id":"([^"]+)"/;

/** Actions by name, passed to a person because actions need persons themselves. */
export type Acts = Readonly<Record<string, ((person: Person) => Promise<unknown>) | undefined>>;

/** A simulated person with a socket, a list of sessions and a room that is shown. */
export class Person {
  readonly identity: Identity;
  readonly world: World;
  readonly sessions = new Map<string, Listed>();
  /** Sessions that were opened before. */
  readonly opened = new Set<string>();
  /** Members whose names were read. */
  readonly known = new Set<number>();
  /** The room that is shown. */
  shown: string | undefined;
  /** The oldest message that is shown. */
  oldest: string | undefined;
  token: string;
  readonly #pace: number;
  readonly #stopped = new AbortController();
  #socket: FrameSocket | undefined;
  /** End of the last frame that may have a cursor. */
  #tail = '';
  #running: Promise<void> = Promise.resolve();

  constructor(identity: Identity, world: World, pace: number) {
    this.identity = identity;
    this.world = world;
    this.token = identity.token;
    this.#pace = pace;
  }

  /** Acts until stopped, first after a part of a wait, so that not all act at once. */
  run(acts: Acts): void {
    this.#running = this.#act(acts).catch((fault: unknown) => {
      if (!this.#stopped.signal.aborted) throw fault;
    });
  }

  async stop(): Promise<void> {
    this.#stopped.abort();
    this.disconnect();
    await this.#running;
  }

  ask<Answer = unknown>(ask: Ask): Promise<Answer | undefined> {
    return this.world.client.ask<Answer>({ token: this.token, ...ask });
  }

  /** Waits, as a person between two parts of an action. Fails when the person is stopped. */
  wait(ms: number): Promise<void> {
    return sleep(ms, undefined, { signal: this.#stopped.signal });
  }

  /** Opens a socket; tries again later if that fails. */
  async connect(after?: string): Promise<void> {
    const { url, client } = this.world;
    let opened: FrameSocket | undefined;
    const ended = () => {
      if (opened && opened === this.#socket) this.#lost();
    };
    const take: TakeFrame = (bytes, start, end) => this.#take(bytes, start, end);
    opened = await client.measure('open a socket', () => FrameSocket.open({ url, token: this.token, after }, take, ended));
    if (this.#stopped.signal.aborted) opened?.close();
    else if (opened) this.#socket = opened;
    else this.#lost();
  }

  disconnect(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  /** Opens a new socket, which gets the frames that were pushed meanwhile. */
  async reconnect(): Promise<void> {
    const after = cursor.exec(this.#tail)?.[1];
    this.disconnect();
    await this.connect(after);
  }

  push(type: string, data: object): void {
    this.#socket?.send({ type, data });
  }

  /** Returns a room that is not shown. */
  otherRoom(): Listed | undefined {
    return randomOf([...this.sessions.values()].filter((session) => !isSmall(session) && session.id !== this.shown));
  }

  /** Returns a conversation of two or a few people. */
  smallSession(): Listed | undefined {
    return randomOf([...this.sessions.values()].filter(isSmall));
  }

  async #act(acts: Acts): Promise<void> {
    await this.wait(Math.random() * idleTime(Math.random(), this.#pace));
    for (;;) {
      const act = acts[pickAction(Math.random())];
      this.world.counts.actions += 1;
      await act?.(this);
      await this.wait(idleTime(Math.random(), this.#pace));
    }
  }

  #lost(): void {
    if (this.#stopped.signal.aborted) return;
    this.world.counts.lost_sockets += 1;
    this.#socket = undefined;
    this.wait(reopen_ms)
      .then(() => this.connect(cursor.exec(this.#tail)?.[1]))
      .catch(() => undefined);
  }

  /** Reads of a frame what a person's client needs; most of them are equal to those of other people. */
  #take(bytes: Buffer, start: number, end: number): void {
    this.world.counts.frames += 1;
    const kind = bytes.toString('latin1', start + 9, start + 24);
    if (kind.startsWith('presence')) return;
    if (kind.startsWith('typing')) this.#meet(JSON.parse(bytes.toString('utf8', start, end)).data.member_id);
    this.#tail = bytes.toString('latin1', Math.max(start, end - 160), end);
    if (kind.startsWith('message.created')) this.#created(bytes, start, end);
    else if (kind.startsWith('message.deleted')) {
      const { session_id, message_id } = JSON.parse(bytes.toString('utf8', start, end)).data;
      this.world.timelines.delete(session_id, message_id);
    } else if (kind.startsWith('reaction')) {
      const { session_id, message_id, emoji } = JSON.parse(bytes.toString('utf8', start, end)).data;
      this.world.timelines.reacted(session_id, message_id, emoji);
    }
  }

  #created(bytes: Buffer, start: number, end: number): void {
    const { timelines } = this.world;
    const id = messageId.exec(bytes.toString('latin1', start, start + 110))?.[1] ?? '';
    if (timelines.sessionOf(id) === undefined)
      timelines.add((JSON.parse(bytes.toString('utf8', start, end)).data as { message: MessageRecord }).message);
    const session_id = timelines.sessionOf(id);
    if (session_id === undefined)
      throw new Error(`A frame has another shape: ${bytes.toString('utf8', start, Math.min(end, start + 200))}`);
    if (!this.sessions.has(session_id)) this.#joined(session_id);
  }

  /** Reads a session of which a first message has come. */
  #joined(session_id: string): void {
    this.sessions.set(session_id, { id: session_id, title: '', target_type: 'member', member_count: 2 });
    void this.ask<Listed>({ operation: 'sessions.get', path: `/api/chat/sessions/${session_id}` }).then(
      (session) => session && this.sessions.set(session_id, session),
    );
  }

  /** Reads the record of a member who types, unless the name is known. */
  #meet(member_id: number): void {
    if (this.known.has(member_id)) return;
    this.known.add(member_id);
    void this.ask({ operation: 'members.get', path: `/api/members/${member_id}` });
  }
}

function isSmall({ target_type, title }: Listed): boolean {
  return target_type !== 'room' || title.startsWith(group_title);
}
