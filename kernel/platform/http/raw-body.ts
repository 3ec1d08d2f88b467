import type { RouteOptionsPayload } from '@hapi/hapi';

/**
 * The body stays on the request: it is read by who wants it, with limits that end. Of a body that hapi refuses
 * (its size, a type that it can't read) hapi would wait for the end, and answer with a body of its own.
 */
export const rawBodyOptions: RouteOptionsPayload = {
  output: 'stream',
  parse: false,
  override: 'application/octet-stream',
  maxBytes: Number.MAX_SAFE_INTEGER,
  timeout: false,
};
