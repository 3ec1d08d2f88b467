import type { SocketFrame } from '../../kernel/client/socket-frame.js';
import type { Presence } from '../../kernel/contract/socket.js';

/** State of the live connection. */
export type LiveState =
  | { state: 'open' }
  | { state: 'waiting'; reason: string /** Milliseconds since 1970. */; since: number }
  /** Closed for good; not retried. */
  | { state: 'closed'; reason: string };

/** Live frames of the installation, as `/ws` sends them. */
export interface Live {
  readonly state: LiveState;
  /** Presence by member id; a missing member is offline. */
  readonly presence: ReadonlyMap<number, Presence>;
  /** Calls the listener for each frame; returns the function that removes it. */
  listen: (listener: (frame: SocketFrame) => void) => () => void;
  /** Calls `changed` at each change of state; returns the function that removes it. */
  watch: (changed: () => void) => () => void;
  /** Subscribes to a topic until the returned function is called. Subscriptions are counted. */
  want: (topic: string) => () => void;
}

/** Returns whether a frame's type matches a pattern: `node.*` matches all types with that prefix. */
export function isAmong(type: string, wanted: readonly string[]): boolean {
  return wanted.some((each) => (each.endsWith('*') ? type.startsWith(each.slice(0, -1)) : type === each));
}
