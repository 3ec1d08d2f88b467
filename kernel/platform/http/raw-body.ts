import type { RouteOptionsPayload } from '@hapi/hapi';

/**
 * Leaves the body on the request, so that our own readers apply their limits. hapi would read a rejected body
 * (too large, unknown type) to its end, and answer with its own error body.
 */
export const rawBodyOptions: RouteOptionsPayload = {
  output: 'stream',
  parse: false,
  override: 'application/octet-stream',
  maxBytes: Number.MAX_SAFE_INTEGER,
  timeout: false,
};
