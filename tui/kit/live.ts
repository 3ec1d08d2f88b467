import type { SocketFrame } from '../../kernel/client/socket.js';
import type { Presence } from '../../kernel/contract/socket.js';

/** How it stands with what comes by itself. */
export type LiveState =
  | { state: 'open' }
  | { state: 'waiting'; reason: string /** In ms. */; since: number }
  /** For good. */
  | { state: 'closed'; reason: string };

/** What the installation tells by itself: frames, as `/ws` has them. */
export interface Live {
  readonly state: LiveState;
  /** Who is there, by member id; who is missing is not. */
  readonly presence: ReadonlyMap<number, Presence>;
  /** Hears each frame; gives a function that ends it. */
  listen: (heard: (frame: SocketFrame) => void) => () => void;
  /** Told of each change of the state. */
  watch: (changed: () => void) => () => void;
  /** Subscribes to a topic for as long as somebody wants it; gives a function that ends it. */
  want: (topic: string) => () => void;
}

/** Whether a frame's type is among those: `node.*` stands for all that begin so. */
export function isAmong(type: string, wanted: readonly string[]): boolean {
  return wanted.some((each) => (each.endsWith('*') ? type.startsWith(each.slice(0, -1)) : type === each));
}
