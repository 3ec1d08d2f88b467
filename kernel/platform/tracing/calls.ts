import type { FetchOptions } from '../../contract/extension.js';
import type { GuardedFetch } from '../../core/ports.js';
import type { OpenSpan, SpanStart, Tracing } from './tracing.js';

/** Adds a span to each outgoing request, until its response starts, and propagates the trace. */
export function traceCalls(tracing: Tracing, fetch: GuardedFetch): GuardedFetch {
  const call = (url: string, options: FetchOptions = {}) =>
    tracing.span(startOf(url, options.method), async (span) =>
      answered(span, await fetch(url, { ...options, headers: { ...options.headers, ...tracing.headers() } })),
    );
  return Object.assign(call, {
    web: (allow?: readonly string[]) => traceWeb(tracing, fetch.web(allow)),
    check: (url: string) => fetch.check(url),
    close: () => fetch.close(),
  });
}

function traceWeb(tracing: Tracing, fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init = {}) =>
    tracing.span(startOf(String(input), init.method), async (span) => {
      const headers = new Headers(init.headers);
      for (const [name, value] of Object.entries(tracing.headers())) headers.set(name, value);
      return answered(span, await fetch(input, { ...init, headers }));
    });
}

/** Returns the span of a request, without path and query: they may contain secrets. */
function startOf(url: string, method = 'GET'): SpanStart {
  const name = method.toUpperCase();
  const where = URL.canParse(url) ? new URL(url) : undefined;
  return {
    name,
    kind: 'client',
    attributes: {
      'http.request.method': name,
      ...(where && { 'server.address': where.hostname, 'server.port': Number(where.port || (where.protocol === 'https:' ? 443 : 80)) }),
    },
  };
}

function answered<T extends { status: number }>(span: OpenSpan, answer: T): T {
  span.set({ 'http.response.status_code': answer.status });
  if (answer.status >= 400) span.failed(String(answer.status));
  return answer;
}
