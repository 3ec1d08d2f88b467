import t, { type Test } from 'tap';
import { until } from '../../../helpers/eventually.js';
import { adminPassword, startPlatform } from '../../../helpers/platform.js';
import { collector } from './collector.js';

const parent = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const error = 2;

/** Sets variables of the process until the test has ended. */
function environment(t: Test, variables: Record<string, string>): void {
  for (const [name, value] of Object.entries(variables)) {
    process.env[name] = value;
    t.teardown(() => delete process.env[name]);
  }
}

async function login(url: string): Promise<{ authorization: string }> {
  const body = JSON.stringify({ username: 'admin', password: adminPassword });
  const answer = await fetch(`${url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { access_token } = (await answer.json()) as { access_token: string };
  return { authorization: `Bearer ${access_token}` };
}

t.test('a request, its operation and its statements are one trace that the caller started', async (t) => {
  const { url, spans, texts, asked } = await collector(t);
  environment(t, {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of-the-collector',
    OTEL_SERVICE_NAME: 'our-platform',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '50',
  });
  const platform = await startPlatform(t);
  const headers = await login(platform.url);
  const traceparent = `00-${parent.trace}-${parent.span}-01`;
  const answer = await fetch(`${platform.url}/api/chat/sessions?limit=20`, { headers: { ...headers, traceparent } });
  t.equal(answer.status, 200);
  const named = (name: string) => spans.filter((span) => span.traceId === parent.trace && span.name === name);
  await until(
    () => named('GET /api/chat/sessions').length,
    (count) => count === 1,
  );

  const [request] = named('GET /api/chat/sessions');
  t.match(request, {
    parentSpanId: parent.span,
    kind: 2,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/api/chat/sessions',
      'url.path': undefined,
      'platform.request_id': answer.headers.get('x-request-id'),
    },
    resource: { 'service.name': 'our-platform', 'service.instance.id': platform.kernel.instance, 'deployment.environment.name': 'test' },
  });
  const [operation] = named('sessions.list');
  t.match(operation, { parentSpanId: request?.spanId, attributes: { 'platform.extension': 'chat', 'platform.door': 'http' } });
  const statement = named('SELECT').find(({ parentSpanId }) => parentSpanId === operation?.spanId);
  t.match(statement, { kind: 3, attributes: { 'db.system.name': 'sqlite' } });
  t.match(asked[0], { url: '/v1/traces', headers: { 'x-key': 'of-the-collector', 'content-type': 'application/json' } });
  t.notMatch(texts.join(''), /plat_a_secret|correct horse|admin@/, 'no secret is in the spans');

  await fetch(`${platform.url}/api/members/999999`, { headers });
  const missing = () => spans.find(({ name, attributes }) => name === 'members.get' && attributes['error.type']);
  const failed = await until(missing, (span) => span !== undefined);
  t.match(failed, { attributes: { 'error.type': 'member_not_found' }, status: 0 }, "a caller's mistake is not an error of the span");

  const { length } = spans;
  await fetch(`${platform.url}/healthz`);
  await platform.kernel.close();
  t.ok(spans.length > length, 'remaining spans are sent at the end');
  t.notOk(
    spans.some(({ status }) => status === error),
    'no span is an error',
  );
});

t.test('an unavailable collector is logged once and affects nobody', async (t) => {
  environment(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_EXPORTER_OTLP_TIMEOUT: '200' });
  const platform = await startPlatform(t);
  const headers = await login(platform.url);
  const told = () => platform.lines.filter(({ msg }) => /^The trace collector is unavailable/.test(String(msg)));
  const ask = async () => {
    t.equal((await fetch(`${platform.url}/api/members/1`, { headers })).status, 200);
    return told().length;
  };
  await until(ask, (count) => count > 0);
  await ask();
  await ask();
  const before = performance.now();
  await platform.kernel.close();
  t.ok(performance.now() - before < 5_000, 'the platform stops in time');
  t.equal(told().length, 1);
});

t.test('unsupported settings are logged, and no traces are sent', async (t) => {
  const cases = [
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4317' },
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_TRACES_EXPORTER: 'zipkin' },
  ];
  const { openTracing } = await import('../../../../kernel/platform/tracing/open.js');
  for (const variables of cases) {
    await t.test(JSON.stringify(variables), async (t) => {
      environment(t, variables);
      const warnings: string[] = [];
      const log = { debug() {}, info() {}, error() {}, warn: (message: string) => void warnings.push(message) };
      const tracing = await openTracing({ env: process.env, version: '1', instance: 'a', log });
      t.teardown(() => tracing?.close());
      t.match(warnings, [/^No traces are sent/]);
      t.equal(tracing, undefined);
    });
  }
});
