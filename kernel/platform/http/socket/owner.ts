import type { Log } from '../../../contract/extension.js';
import type { Failure } from '../../../contract/failure.js';
import type { Entry } from '../../../contract/journal.js';
import type { Caller } from '../../../contract/operation.js';
import type { FindAuthenticator } from '../auth.js';
import type { Incoming } from '../incoming.js';
import type { Origins } from '../origin.js';
import type { RequestLimits } from '../request-limits.js';
import type { Connection } from './connection.js';
import type { SocketLimits } from './limits.js';
import type { SocketPlatform } from './platform.js';

/** A revocation of all tokens of a member, or of one token. */
export interface Revocation {
  member_id: number;
  token_id?: string;
}

/** Maps the failure of a rejected client: it becomes `rate_limited` after too many attempts. */
export type Admission = Pick<RequestLimits, 'refused'>;

/** The owner of all connections, as one connection sees it. */
export interface ConnectionOwner {
  readonly limits: SocketLimits;
  readonly platform: SocketPlatform;
  readonly origins: Origins;
  readonly admission: Admission;
  readonly log: Log;
  readonly version: string;
  readonly authenticator: FindAuthenticator;
  now(): number;
  iso(): string;
  nextId(): string;
  /** Logs a rejected client. */
  logRejected(req: Incoming, failure: Failure): void;
  /** Logs an error of the platform. */
  report(failure: Failure, fields: object): void;
  /** Fails with `too_many_sockets`. */
  assertRoom(caller: Caller): void;
  assertRoomForUnknown(connection: Connection): void;
  joined(connection: Connection): void;
  left(connection: Connection): void;
  /** Schedules `flush` at the end of this tick. */
  schedule(connection: Connection): void;
  /** Subscribes to all topics or none. Fails with `topic_not_found` or `forbidden`. */
  subscribe(connection: Connection, topics: readonly string[]): void;
  unsubscribe(connection: Connection, topics: readonly string[]): void;
  /** Returns a stored frame as bytes, encoded once for all its readers. */
  bytesOf(entry: Entry): Buffer;
  /** Returns a frame for each present member. */
  presenceFrames(): Buffer;
}
