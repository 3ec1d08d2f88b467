import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import t from 'tap';
import { traceRequests, traceRoutes } from '../../../../kernel/platform/tracing/requests.js';
import { Spans } from '../../../../kernel/platform/tracing/spans.js';
import { becomes } from '../../../helpers/eventually.js';
import { member } from '../http/deeds.js';
import { Reader } from '../http/reader.js';
import { delta, following, Source } from '../http/source.js';
import { type Deed, startWorld, type TestDoor } from '../http/world.js';

t.test('the span of a request, stream or door ends with its answer and has the route but no path', async (t) => {
  const exporter = new InMemorySpanExporter();
  const tracing = new Spans(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
  const { http, url, serve } = await startWorld({ around: traceRequests(tracing), routed: traceRoutes(tracing) });
  t.teardown(() => http.close(1_000));
  const source = new Source();
  const [route, throughDoor] = ['/api/live/{id}', '/api/live/door/{number}'];
  const door: TestDoor = { id: 'through', path: throughDoor, methods: ['GET'], summary: 'Answers', handle: async () => Response.json({}) };
  const follow: Deed = { ...following(route, source), input: (j) => j.object({ id: j.number() }) };
  const look: Deed = { summary: 'Looks', who: 'public', method: 'GET', path: '/api/live/look', does: () => ({}) };
  await serve('live', ['/api/live'], { 'live.follow': follow, 'live.look': look }, [door]);
  const ended = () => exporter.getFinishedSpans().map(({ attributes }) => attributes['http.response.status_code']);

  await (await fetch(`${url}/api/nothing/17`)).text();
  await becomes(t, ended, [404]);
  await (await fetch(`${url}/healthz`)).text();
  await becomes(t, ended, [404, 200]);
  await (await fetch(`${url}/api/live/look`)).text();
  await becomes(t, ended, [404, 200, 204]);
  await (await fetch(`${url}/api/live/door/17`, { headers: member })).text();
  await becomes(t, ended, [404, 200, 204, 200]);
  await (await fetch(`${url}/api/live/17`)).text();
  await becomes(t, ended, [404, 200, 204, 200, 401]);
  const stream = await Reader.open(`${url}/api/live/17`, member);
  source.push(delta(1));
  await becomes(t, () => stream.events.length, 1);
  t.same(ended(), [404, 200, 204, 200, 401]);
  http.disconnect({ member_id: 7 });
  await becomes(t, ended, [404, 200, 204, 200, 401, 200]);
  const spans = exporter.getFinishedSpans();
  t.same(
    spans.map(({ name, attributes }) => [name, attributes['http.route']]),
    [
      ['GET', undefined],
      ['GET /healthz', '/healthz'],
      ['GET /api/live/look', '/api/live/look'],
      [`GET ${throughDoor}`, throughDoor],
      [`GET ${route}`, route],
      [`GET ${route}`, route],
    ],
  );
  t.notMatch(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes])), /\/17/);
});
