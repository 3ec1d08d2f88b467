import { failures } from '../../../contract/failure.js';

/** What a client at `/ws` may do, and how long it may take. */
export interface SocketLimits {
  /** How long a client has to say who it is, where the request didn't. */
  auth_ms: number;
  heartbeat_ms: number;
  /** A client that has said nothing for so long is gone. */
  silent_ms: number;
  /** Of one frame. */
  frame_bytes: number;
  frames_per_second: number;
  /** Of frames that wait for the one before them. */
  inbox_bytes: number;
  handler_ms: number;
  /** No further frame is read from the journal while so many bytes are unread; about as much is written at once. */
  waiting_bytes: number;
  /** A client with so many bytes unread is behind. A burst may do that to any. */
  unread_bytes: number;
  /** A client with so many bytes unread is too slow at once. */
  max_unread_bytes: number;
  /** How long a client may be behind, or leave what was written unread. */
  stalled_ms: number;
  /** How long a socket that is closed may take to end. */
  ending_ms: number;
  /** How many sockets one member may have. */
  per_member: number;
  /** How many sockets of one address may wait for their `auth` frame. */
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

/** What can go wrong at `/ws` beside the kernel's own codes. */
export const fail = failures({
  malformed_frame: 400,
  unknown_frame: 400,
  origin_refused: 403,
  topic_not_found: 404,
  upgrade_required: 426,
  too_many_frames: 429,
  too_many_sockets: 429,
});
