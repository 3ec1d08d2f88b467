import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ExtensionPages, Site } from '../../contract/site.js';
import type { ActiveDoor, ActiveOperation } from './catalog.js';
import type { Draft } from './draft.js';

/** The frames of an extension at `/ws`: those it takes, those it pushes, and its topics. */
export type SocketFrames = Pick<Draft, 'frames' | 'pushed' | 'topics'>;

/** The web app, and the files of the extensions that are active now. */
export interface CellSite {
  site: Site;
  pages: () => readonly ExtensionPages[];
}

export interface CellContent {
  extension: string;
  version: string;
  operations: readonly ActiveOperation[];
  doors?: readonly ActiveDoor[];
  /** For documentation. Left out: none. */
  socket?: SocketFrames;
  /** The web app, if this extension serves it. */
  site?: CellSite | undefined;
}

/** Serves the HTTP requests of one version of an extension. `kernel/platform/http` implements it. */
export interface Cell extends Readonly<Required<Omit<CellContent, 'socket' | 'site'>>> {
  /** Answers a request that the front server routed here. */
  receive(event: 'request' | 'checkContinue', req: IncomingMessage, res: ServerResponse): void;
  /** Releases the cell. Call it after the last request has ended. */
  stop(): Promise<void>;
}
