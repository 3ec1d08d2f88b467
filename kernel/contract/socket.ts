import type { ObjectSchema, Root } from 'joi';
import type { Caller, EventType, Role } from './operation.js';

/** Whom a frame is for: the sockets of members, those that have subscribed to a topic, or all of them. */
export type Audience = { readonly members: readonly number[] } | { readonly topic: string } | 'everyone';

/** A message over a socket. `type` is lower case (`message.created`), at most 64 characters. */
export interface Frame {
  type: string;
  data: object;
}

/** A type of frames that an extension pushes. */
export interface PushedFrame extends EventType {
  /** The audiences that get it: `members`, `everyone`, or names of topics. */
  readonly to: readonly string[];
}

/** Types of frames that an extension pushes, by name. Joi is handed in. */
export type PushedFrames = (j: Root) => Readonly<Record<string, PushedFrame>>;

export interface PushOptions {
  /**
   * Frames to members are kept and replayed after a reconnect; `false`: they reach only the sockets that are
   * open now. Those to topics and to everyone are never kept.
   */
  keep?: boolean;
}

/** The sender of a frame, and its socket. */
export interface FrameSender {
  readonly caller: Caller;
  readonly connection_id: string;
}

/** The shape of a frame's data. Joi is handed in, as to an operation's `input`. */
export type FrameSchema = (j: Root) => ObjectSchema;

/** At most 10 s. A `Failure` becomes the client's `error` frame; otherwise it gets its `ack`. */
export type FrameHandler = (data: object, sender: FrameSender) => void | Promise<void>;

/** Members that may subscribe to a topic: those of a role (`admin` includes `member`), or those that a function admits. */
export type Readers = Role | ((caller: Caller) => boolean);

/** `offline`: no socket for 30 s. Where somebody has several: `dnd` before `online` before `away`. */
export type PresenceStatus = 'online' | 'away' | 'dnd' | 'offline';

export interface Presence {
  status: PresenceStatus;
  /** ISO 8601; now where somebody is present, `null` where they never were. */
  last_seen_at: string | null;
}

/** Presence of members, across all instances. */
export interface PresenceService {
  /** The presence of each of these members, in the order in which they were asked for. */
  of(member_ids: readonly number[]): Promise<ReadonlyMap<number, Presence>>;
  /** The same without when they were last seen, which the database is asked for. */
  statuses(member_ids: readonly number[]): Promise<ReadonlyMap<number, PresenceStatus>>;
  /** Has all instances ask the contributors of the slot `presence` again, now. They are asked every 10 s by themselves. */
  refresh(): void;
  /** Nothing is kept of a member that was deleted, on any instance. */
  forget(member_id: number): Promise<void>;
}

/**
 * The slot `presence`: the presence of members that have no sockets, AI employees. Whoever is left out is
 * offline. At most 2 s; when it fails, what it said last stays.
 */
export interface PresenceProvider {
  present(): Promise<ReadonlyMap<number, Exclude<PresenceStatus, 'offline'>>>;
}
