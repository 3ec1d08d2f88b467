import type { QueryClient } from '@tanstack/react-query';
import type { StartPages, WebApi } from '../../../extensions/web/contract.js';
import type { BrowserTransport } from '../../../kernel/client/browser/index.js';
import type { OperationData } from '../../../kernel/contract/manifest.js';
import type { Kept } from './kept.js';
import type { LiveHub } from './live-hub.js';
import type { Outbox } from './outbox.js';
import type { Session } from './session.js';
import type { Value } from './value.js';

export type Start = WebApi['web.start']['answer'];
export type { StartPages };

/** Everything that the pages of one member share in this tab. */
export interface Connection {
  /** Path of the platform below its origin: `''` or `/prefix`. */
  readonly prefix: string;
  readonly session: Session;
  readonly transport: BrowserTransport;
  readonly query: QueryClient;
  readonly live: LiveHub;
  readonly kept: Kept;
  readonly outbox: Outbox;
  readonly start: Value<Start>;
  /** Reads the start again soon. */
  startAgain: () => void;
}

let current: Connection | undefined;

/** Returns the connection. Only for code that runs while a member is logged in, as all pages do. */
export function connection(): Connection {
  if (current === undefined) throw new Error('Nobody is logged in');
  return current;
}

/** Makes the connection available to pages. A log-out reloads the document, so it is set once. */
export function setConnection(next: Connection): void {
  current = next;
}

/** Returns the operation as the client needs it; undefined if the member may not call it. */
export function operationOf(id: string): OperationData | undefined {
  const found = connection().start.get().operations[id];
  return found && { summary: '', who: 'member', input: {}, status: 200, ...found };
}
