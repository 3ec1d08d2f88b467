import { QueryClient } from '@tanstack/react-query';
import { isFailure } from '../../../kernel/contract/failure.js';
import { isPassing } from './passing.js';

/** How long an answer is taken for current if no frame says otherwise. */
const stale_ms = 15_000;
const unused_ms = 10 * 60_000;

/** Creates the cache of answers that all pages share. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: stale_ms,
        gcTime: unused_ms,
        // The transport and the live connection know better than the browser whether the server can be reached.
        networkMode: 'always',
        refetchOnReconnect: false,
        retry: (failed, error) => failed < 3 && isPassing(error),
        retryDelay: (failed, error) =>
          isFailure(error) && error.retry_after ? error.retry_after * 1_000 : Math.min(500 * 2 ** failed, 5_000),
      },
    },
  });
}
