import type { DataOptions } from '../data/hub.js';
import type { Invoke } from '../http/handle.js';
import type { HttpOptions } from '../http/http.js';
import type { GuardedFetch } from '../net/guarded-fetch.js';
import { traceCalls } from './calls.js';
import { traceOperations, traceRoutes } from './operations.js';
import { traceRequests } from './requests.js';
import { traceStatements } from './statements.js';
import type { Tracing } from './tracing.js';

/** What is traced of the kernel, where there is tracing; else each part as it is. */
export interface Traced {
  fetch(fetch: GuardedFetch): GuardedFetch;
  /** For all doors. */
  operations(invoke: Invoke): Invoke;
  /** For HTTP alone. */
  routes(invoke: Invoke): Invoke;
  readonly requests: HttpOptions['around'];
  readonly statements: DataOptions['watch'];
}

export function traced(tracing: Tracing | undefined, database_url: string): Traced {
  if (!tracing)
    return {
      fetch: (fetch) => fetch,
      operations: (invoke) => invoke,
      routes: (invoke) => invoke,
      requests: undefined,
      statements: undefined,
    };
  return {
    fetch: (fetch) => traceCalls(tracing, fetch),
    operations: (invoke) => traceOperations(tracing, invoke),
    routes: (invoke) => traceRoutes(tracing, invoke),
    requests: traceRequests(tracing),
    statements: traceStatements(tracing, database_url),
  };
}
