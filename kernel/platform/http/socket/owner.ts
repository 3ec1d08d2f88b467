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

/** Whose tokens have ended; one of them only where it is given. */
export interface Ended {
  member_id: number;
  token_id?: string;
}

/** What a client is told that was not let in: another failure once it has come too often. */
export type Admission = Pick<RequestLimits, 'refused'>;

/** Who holds the connections, as one of them sees it. */
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
  /** Logs that a client was not let in. */
  notLetIn(req: Incoming, failure: Failure): void;
  /** Logs a fault of the platform's own. */
  report(failure: Failure, fields: object): void;
  /** Fails with `too_many_sockets`. */
  assertRoom(caller: Caller): void;
  assertRoomForUnknown(connection: Connection): void;
  joined(connection: Connection): void;
  left(connection: Connection): void;
  /** Has `flush` called at the end of this tick. */
  schedule(connection: Connection): void;
  /** Fails with `topic_not_found` or `forbidden`; then none of them is subscribed to. */
  subscribe(connection: Connection, topics: readonly string[]): void;
  unsubscribe(connection: Connection, topics: readonly string[]): void;
  /** A kept frame as bytes, made once for all its readers. */
  bytesOf(entry: Entry): Buffer;
  /** A frame for each member who is present. */
  presenceFrames(): Buffer;
}
