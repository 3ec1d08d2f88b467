import type { Incoming, Outgoing, Routed } from '../http/incoming.js';
import type { Tracing } from './tracing.js';

/** Known HTTP methods; others become `_OTHER` (OpenTelemetry semantic conventions, http.request.method). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Adds a span to each request, from its head to the end of its response, also of a stream. It has the route but not the path, which contains ids of people. */
export function traceRequests(tracing: Tracing) {
  return (req: Incoming, res: Outgoing, work: () => void): void => {
    const method = methods.has(req.method ?? '') ? (req.method as string) : '_OTHER';
    const attributes = {
      'http.request.method': method,
      'url.scheme': 'http',
      'platform.request_id': req.request_id,
    };
    tracing.open({ name: method, kind: 'server', attributes, caller: req.headers }, (span) => {
      const end = () => {
        span.set({ 'http.response.status_code': res.statusCode });
        if (res.statusCode >= 500) span.failed(String(res.statusCode));
        span.end();
      };
      res.once('close', end).once('taken', () => res.once('close', end));
      work();
    });
  };
}

/** Names the span of a request after its route. */
export function traceRoutes(tracing: Tracing): Routed {
  return (method, path) => {
    const span = tracing.current();
    span?.set({ 'http.route': path });
    span?.name(`${method} ${path}`);
  };
}
