import type { GuardedFetch } from '../../core/ports.js';
import type { DataOptions } from '../data/hub.js';
import type { Invoke } from '../http/handle.js';
import type { HttpOptions } from '../http/http.js';
import { traceCalls } from './calls.js';
import { traceOperations } from './operations.js';
import { traceRequests, traceRoutes } from './requests.js';
import { traceStatements } from './statements.js';
import type { Tracing } from './tracing.js';

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
