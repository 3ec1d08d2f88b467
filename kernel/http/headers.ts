import type { ServerResponse } from 'node:http';
import type { Incoming } from './incoming.js';

/** An API answer is data: a browser shall not frame it, sniff it, run it or keep it. */
const security: readonly (readonly [string, string])[] = [
  ['cache-control', 'no-store'],
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'same-origin'],
  ['referrer-policy', 'no-referrer'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
];

/** Sets the headers that every answer has; a route may replace them. */
export function commonHeaders(base_url: string | undefined): (req: Incoming, res: ServerResponse) => void {
  const secure = base_url?.startsWith('https:') ? [['strict-transport-security', 'max-age=15768000'] as const] : [];
  const fixed = [...security, ...secure];
  return (req, res) => {
    res.setHeader('x-request-id', req.request_id);
    for (const [name, value] of fixed) res.setHeader(name, value);
  };
}
