import type { Caller, Door } from '../../contract/operation.js';
import { Ambient } from '../ambient.js';
import type { AuditRow } from './audit.js';

/** The current request, available anywhere below it. */
export interface RequestContext {
  request_id: string;
  caller: Caller;
  /** The door by which the whole of it came in, however many operations have called one another since. */
  origin: Door;
  /** The id of the operation, once it is known. */
  operation?: string;
  /** The audit row of the effect or the refusal, where the operation is audited. */
  audit?: AuditRow | undefined;
}

/** Carries the running request along its asynchronous calls. One for each kernel. */
export class Requests {
  readonly #ambient = new Ambient<RequestContext>();

  run<T>(context: RequestContext, work: () => T): T {
    return this.#ambient.run(context, work);
  }

  /** Where a request of this caller began: what an extension calls belongs to the request in which it does. */
  originOf({ door }: Caller): Door {
    return door === 'plugin' ? (this.current()?.origin ?? door) : door;
  }

  /** Whether somebody waits for what runs here: nobody sits before a schedule, or before what an AI employee's tool does. */
  get isAwaited(): boolean {
    const origin = this.current()?.origin;
    return origin !== undefined && origin !== 'schedule' && origin !== 'tool';
  }

  current(): RequestContext | undefined {
    return this.#ambient.current();
  }
}
