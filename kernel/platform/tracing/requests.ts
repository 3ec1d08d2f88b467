import type { Incoming, Outgoing, Routed } from '../http/incoming.js';
import type { Tracing } from './tracing.js';

/** Those of HTTP; any other word is a client's own (semantic conventions of OpenTelemetry, http.request.method). */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'CONNECT']);

/** A span for a request, from its head to the end of its answer, that of a stream too. It tells the route, and not the path, where ids of people stand. */
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
