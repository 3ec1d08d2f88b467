import type { ObjectSchema, Root } from 'joi';
import type { Caller, EventType, Role } from './operation.js';

/** The sockets that get a frame: those of members, those that have subscribed to a topic, or all. */
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

/** Types of frames that an extension pushes, by name. Joi is passed in. */
export type PushedFrames = (j: Root) => Readonly<Record<string, PushedFrame>>;

export interface PushOptions {
  /**
   * Whether frames to members are stored and replayed after a reconnect within an hour; later the client gets `resync`. `false`: they reach
   * only sockets that are open now. Frames to topics and to everyone are never stored. Default true.
   */
  keep?: boolean;
}

/**
 * The slot `frames.review`: checks stored frames before a socket gets them late, because its client has reconnected or was slow. The
 * content of a frame may have been changed or deleted since. A failure closes the socket, and its client tries again.
 */
export interface FrameReviewer {
  /** Types of the frames to check. */
  readonly types: readonly string[];
  /** Returns the data that the member may see now, or undefined to leave out the frame. The given data must not be changed. */
  review(frame: Frame, member_id: number): Promise<object | undefined>;
}

/** The sender of a frame, and its socket. */
export interface FrameSender {
  readonly caller: Caller;
  readonly connection_id: string;
}

/** The shape of a frame's data. Joi is passed in, as to an operation's `input`. */
export type FrameSchema = (j: Root) => ObjectSchema;

/** Handles a frame within 10 s. The client gets an `ack` frame, or an `error` frame if a `Failure` is thrown. */
export type FrameHandler = (data: object, sender: FrameSender) => void | Promise<void>;

/** The members that may subscribe to a topic: those with a role (an `admin` has also the role `member`), or those that a function admits. */
export type Readers = Role | ((caller: Caller) => boolean);

/** `offline`: no socket for 30 s. With several sockets, `dnd` takes precedence over `online`, and `online` over `away`. */
export type PresenceStatus = 'online' | 'away' | 'dnd' | 'offline';

export interface Presence {
  status: PresenceStatus;
  /** ISO 8601: now for a member that is present; `null` if it never was. */
  last_seen_at: string | null;
}

/** Presence of members, across all instances. */
export interface PresenceService {
  /** Returns the presence of each member, in the given order. */
  of(member_ids: readonly number[]): Promise<ReadonlyMap<number, Presence>>;
  /** Returns the statuses alone, which needs no query of the database. */
  statuses(member_ids: readonly number[]): Promise<ReadonlyMap<number, PresenceStatus>>;
  /** Makes all instances ask the slot `presence` again now instead of within 10 s. */
  refresh(): void;
  /** Deletes all data about a deleted member, on all instances. */
  forget(member_id: number): Promise<void>;
}

/**
 * The slot `presence`: knows the presence of members without sockets, such as AI employees.
 */
export interface PresenceProvider {
  /** Returns the members that are present; the others are offline. At most 2 s. If it fails, its last answer stays valid. */
  present(): Promise<ReadonlyMap<number, Exclude<PresenceStatus, 'offline'>>>;
}
