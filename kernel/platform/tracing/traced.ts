import type { GuardedFetch } from '../../core/ports.js';
import type { DataOptions } from '../data/hub.js';
import type { Watch } from '../data/transactions.js';
import type { Invoke } from '../http/handle.js';
import type { HttpOptions } from '../http/http.js';
import { traceCalls } from './calls.js';
import { traceOperations } from './operations.js';
import { traceRequests, traceRoutes } from './requests.js';
import type { Tracing } from './tracing.js';

/** A span for each transaction, and for each statement outside of one, that something which is traced asks for: waiting for its turn is in it. */
function traceStatements(tracing: Tracing, database_url: string): Watch {
  const system = database_url.startsWith('sqlite:') ? 'sqlite' : 'postgresql';
  return (kind, work) => {
    // Looking after what is due, each second, is nobody's request.
    if (!tracing.current()) return work();
    return tracing.span({ name: kind, kind: 'client', attributes: { 'db.system.name': system, 'db.operation.name': kind } }, work);
  };
}

/** What is traced of the kernel, where there is tracing; else each part as it is. */
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
