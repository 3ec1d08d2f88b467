import type { Caller, Door } from '../../contract/operation.js';
import { Ambient } from '../ambient.js';
import type { AuditRow } from './audit.js';

/** The current request, available to everything that it runs. */
export interface RequestContext {
  request_id: string;
  caller: Caller;
  /** Door of the original request, however many operations have called each other since. */
  origin: Door;
  /** Id of the operation, once known. */
  operation?: string;
  /** Audit row, if the operation is audited. */
  audit?: AuditRow | undefined;
}

/** Carries the running request through asynchronous calls. One per kernel. */
export class Requests {
  readonly #ambient = new Ambient<RequestContext>();

  run<T>(context: RequestContext, work: () => T): T {
    return this.#ambient.run(context, work);
  }

  /** Returns the original door of this caller's request: calls of an extension belong to the request in which it runs. */
  originOf({ door }: Caller): Door {
    return door === 'plugin' ? (this.current()?.origin ?? door) : door;
  }

  /** Whether a person waits for the current request: not for a schedule, nor for a tool call of an AI employee. */
  get isAwaited(): boolean {
    const origin = this.current()?.origin;
    return origin !== undefined && origin !== 'schedule' && origin !== 'tool';
  }

  current(): RequestContext | undefined {
    return this.#ambient.current();
  }
}
