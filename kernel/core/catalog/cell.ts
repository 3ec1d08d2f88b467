import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActiveDoor, ActiveOperation } from './catalog.js';

export interface CellContent {
  extension: string;
  version: string;
  operations: readonly ActiveOperation[];
  doors?: readonly ActiveDoor[];
}

/** Serves the requests of one version of an extension. Made by the platform's HTTP side. */
export interface Cell extends Readonly<Required<CellContent>> {
  /** Answers a request that the front gives it. */
  receive(event: 'request' | 'checkContinue', req: IncomingMessage, res: ServerResponse): void;
  /** Call it when the last request has ended. */
  stop(): Promise<void>;
}
