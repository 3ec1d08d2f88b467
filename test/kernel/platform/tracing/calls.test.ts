import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import t from 'tap';
import { createFetch } from '../../../../kernel/platform/net/guarded-fetch.js';
import { traceCalls } from '../../../../kernel/platform/tracing/calls.js';
import { samplerOf } from '../../../../kernel/platform/tracing/export.js';
import { Spans } from '../../../../kernel/platform/tracing/spans.js';

t.test('an outgoing call continues the trace, and its span has neither path nor query', async (t) => {
  const seen: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers);
    response.writeHead(request.url?.startsWith('/broken') ? 503 : 200).end('ok');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  const exporter = new InMemorySpanExporter();
  const tracing = new Spans(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  const fetch = traceCalls(tracing, createFetch({ allow: ['127.0.0.1'] }));
  t.teardown(() => fetch.close());

  await tracing.span({ name: 'work' }, async () => {
    await fetch(`http://127.0.0.1:${port}/a/secret?key=secret`, { method: 'POST', body: '{}', headers: { 'x-own': '1' } });
    await (await fetch.web()(`http://127.0.0.1:${port}/broken`, { headers: [['x-own', '2']] })).text();
  });
  await t.rejects(fetch('http://127.0.0.1:1/'), { code: 'fetch_failed' });

  const [call, web, work, refused] = exporter.getFinishedSpans();
  t.match(call, {
    name: 'POST',
    attributes: { 'server.address': '127.0.0.1', 'server.port': port, 'http.response.status_code': 200 },
    parentSpanContext: { spanId: work?.spanContext().spanId },
  });
  t.match(web, { name: 'GET', attributes: { 'http.response.status_code': 503, 'error.type': '503' } });
  t.match(refused, { attributes: { 'error.type': 'fetch_failed' }, parentSpanContext: undefined });
  t.match(seen, [{ 'x-own': '1' }, { 'x-own': '2' }]);
  const trace = work?.spanContext().traceId;
  t.same(
    seen.map(({ traceparent }) => traceparent),
    [call, web].map((span) => `00-${trace}-${span?.spanContext().spanId}-01`),
  );
  t.notMatch(JSON.stringify([call, web].map((span) => [span?.name, span?.attributes])), /secret|broken/);
});

t.test("traces are sampled by OpenTelemetry's names", (t) => {
  t.equal(String(samplerOf('always_on', undefined)), 'AlwaysOnSampler');
  t.equal(String(samplerOf('traceidratio', '0.25')), 'TraceIdRatioBased{0.25}');
  t.equal(String(samplerOf('traceidratio', 'much')), 'TraceIdRatioBased{1}');
  t.match(String(samplerOf('parentbased_always_off', undefined)), /^ParentBased\{root=AlwaysOffSampler/);
  t.equal(samplerOf('jaeger_remote', undefined), undefined);
  t.end();
});
