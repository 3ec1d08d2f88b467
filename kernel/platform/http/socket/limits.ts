import { failures } from '../../../contract/failure.js';

/** Limits of a client at `/ws`. */
export interface SocketLimits {
  /** Limit for the `auth` frame if the request had no credentials. */
  auth_ms: number;
  heartbeat_ms: number;
  /** Limit of silence, after which a client counts as gone. */
  silent_ms: number;
  /** Limit of one frame. */
  frame_bytes: number;
  frames_per_second: number;
  /** Limit of queued frames. */
  inbox_bytes: number;
  handler_ms: number;
  /** Unread bytes at which reading from the journal pauses; also the approximate size of one write. */
  waiting_bytes: number;
  /** Unread bytes at which a client counts as behind. A burst can do that to any client. */
  unread_bytes: number;
  /** Unread bytes at which a client is disconnected at once. */
  max_unread_bytes: number;
  /** Limit of the time that a client may be behind, or not read at all. */
  stalled_ms: number;
  /** Limit of a closing handshake. */
  ending_ms: number;
  /** Limit of sockets of one member. */
  per_member: number;
  /** Limit of sockets of one network that wait for their `auth` frame. */
  unknown_per_address: number;
  topics: number;
  tick_ms: number;
}

export const defaultLimits: SocketLimits = {
  auth_ms: 10_000,
  heartbeat_ms: 30_000,
  silent_ms: 60_000,
  frame_bytes: 64 * 1024,
  frames_per_second: 50,
  inbox_bytes: 256 * 1024,
  handler_ms: 10_000,
  waiting_bytes: 64 * 1024,
  unread_bytes: 1024 * 1024,
  max_unread_bytes: 16 * 1024 * 1024,
  stalled_ms: 30_000,
  ending_ms: 2_000,
  per_member: 2_000,
  unknown_per_address: 500,
  topics: 100,
  tick_ms: 1_000,
};

/** Close codes: RFC 6455 (7.4.1), IANA's registry, and from 4000 on our own. */
export const closeCodes = {
  going_away: 1001,
  policy: 1008,
  try_later: 1013,
  unauthenticated: 4001,
  revoked: 4003,
} as const;

/** Failures at `/ws` beside the kernel's own codes. */
export const fail = failures({
  malformed_frame: 400,
  unknown_frame: 400,
  topic_not_found: 404,
  upgrade_required: 426,
  too_many_frames: 429,
  too_many_sockets: 429,
});
