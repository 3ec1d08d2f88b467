import type { GuardedFetch } from '../../core/ports.js';
import type { DataOptions } from '../data/hub.js';
import type { Watch } from '../data/transactions.js';
import type { Invoke } from '../http/handle.js';
import type { HttpOptions } from '../http/http.js';
import { traceCalls } from './calls.js';
import { traceOperations } from './operations.js';
import { traceRequests, traceRoutes } from './requests.js';
import type { Tracing } from './tracing.js';

/** Adds a span to each transaction, and to each statement outside of one, within a traced request; includes the wait for a connection. */
function traceStatements(tracing: Tracing, database_url: string): Watch {
  const system = database_url.startsWith('sqlite:') ? 'sqlite' : 'postgresql';
  return (kind, work) => {
    // Periodic work, such as looking for due jobs, is not traced.
    if (!tracing.current()) return work();
    return tracing.span({ name: kind, kind: 'client', attributes: { 'db.system.name': system, 'db.operation.name': kind } }, work);
  };
}

/** Wraps parts of the kernel with tracing; without tracing each part stays as it is. */
export interface Traced {
  fetch(fetch: GuardedFetch): GuardedFetch;
  operations(invoke: Invoke): Invoke;
  readonly requests: Pick<HttpOptions, 'around' | 'routed'>;
  readonly statements: DataOptions['watch'];
}

export function traced(tracing: Tracing | undefined, database_url: string): Traced {
  if (!tracing)
    return {
      fetch: (fetch) => fetch,
      operations: (invoke) => invoke,
      requests: {},
      statements: undefined,
    };
  return {
    fetch: (fetch) => traceCalls(tracing, fetch),
    operations: (invoke) => traceOperations(tracing, invoke),
    requests: { around: traceRequests(tracing), routed: traceRoutes(tracing) },
    statements: traceStatements(tracing, database_url),
  };
}
