import t, { type Test } from 'tap';
import { browser } from '../../../kernel/client/browser/index.js';
import { type Client, connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { http } from '../../../kernel/client/http.js';
import { local } from '../../../kernel/client/local.js';
import type { Transport } from '../../../kernel/client/transport.js';
import { isFailure } from '../../../kernel/contract/failure.js';
import type { SystemApi } from '../../../kernel/contract/system.js';
import type { Hello } from '../../fixtures/extensions/hello/contract.js';
import { until } from '../../helpers/eventually.js';
import { adminPassword, fixture, ownExtension, startPlatform } from '../../helpers/platform.js';

type Api = Hello['api'] & SystemApi & { 'auth.login': { input: { username: string; password: string }; answer: { access_token: string } } };
type Ways = Record<'direct' | 'http' | 'local' | 'browser', Client<Api>>;

/** One platform, and the same administrator through each way. */
async function ways(t: Test): Promise<Ways & { kernel: Awaited<ReturnType<typeof startPlatform>>['kernel'] }> {
  const { kernel, url, data_dir } = await startPlatform(t, { extensions: [ownExtension('members'), fixture('hello')] });
  const open = (transport: Transport) => {
    t.teardown(() => transport.close());
    return connect<Api>(kernel.operations(), transport);
  };
  const { access_token } = await open(http({ url })).auth.login({ username: 'admin', password: adminPassword });
  return {
    kernel,
    direct: open(direct(kernel)),
    http: open(http({ url, token: access_token })),
    local: open(local({ data_dir })),
    browser: open(browser({ url, token: () => access_token, renew: async () => undefined })),
  };
}

/** How a call ended, but for what belongs to one request alone. */
async function outcome(work: Promise<unknown>): Promise<unknown> {
  try {
    return { answer: withoutUptime(await work) };
  } catch (error) {
    if (!isFailure(error)) throw error;
    const { code, status, message, details, retry_after } = error;
    return { code, status, message, details, retry_after };
  }
}

/** The calls are made one after the other, and an extension's uptime goes on meanwhile. */
function withoutUptime(answer: unknown): unknown {
  return answer === undefined ? answer : JSON.parse(JSON.stringify(answer), (key, value) => (key === 'uptime_s' ? 0 : value));
}

async function all(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const event of events) found.push(event);
  return found;
}

const calls: Record<string, (client: Client<Api>) => Promise<unknown>> = {
  'an answer': (client) => client.hello.greet({ name: 'Ada & Ü' }),
  'who asks': (client) => client.hello.whoami(),
  'a list of the kernel': (client) => client.plugins.list(),
  'an input that is not valid': (client) => client.hello.greet({ name: '' }),
  'a failure of the extension': (client) => client.hello.refuse({ how: 'failure' }),
  'what nobody foresaw': (client) => client.hello.refuse({ how: 'crash' }),
  'a key of the path with every kind of character': (client) => client.hello.remember({ key: 'a/b ü?#%', value: { deep: [1, null, 'x'] } }),
  'what was kept under it': (client) => client.hello.recall({ key: 'a/b ü?#%' }),
  'an extension that is not there': (client) => client.plugins.get({ name: 'nothing' }),
  'a stream': (client) => all(client.hello.count({ to: 3, every_ms: 1 })),
  'a stream whose input is not valid': (client) => all(client.hello.count({ to: -1, every_ms: 0 })),
};

t.test('the same call returns the same answer or failure over every transport', async (t) => {
  const { direct, http, local, browser } = await ways(t);
  for (const [name, call] of Object.entries(calls)) {
    const expected = await outcome(call(direct));
    t.strictSame(await outcome(call(http)), expected, `${name}, over HTTP`);
    t.strictSame(await outcome(call(local)), expected, `${name}, through the socket`);
    t.strictSame(await outcome(call(browser)), expected, `${name}, over fetch`);
  }
  t.strictSame(await outcome(direct.hello.greet({ name: 'Ada' })), { answer: { greeting: 'Hello, Ada', version: '1.0.0' } });
  t.match(await outcome(direct.hello.refuse({ how: 'failure' })), { code: 'hello_refused', status: 409 });
});

for (const way of ['direct', 'http', 'local', 'browser'] as const) {
  t.test(`leaving a stream ends it in the platform too (${way})`, async (t) => {
    const { kernel, [way]: client } = await ways(t);
    const controller = new AbortController();
    const seen: unknown[] = [];
    for await (const event of client.hello.count({ to: 1000, every_ms: 50 }, { signal: controller.signal })) {
      seen.push(event);
      if (seen.length === 2) controller.abort();
    }
    t.equal(seen.length, 2);
    // A stream that still ran would hold up the extension's stop.
    const started = performance.now();
    await kernel.installer.disable('hello');
    t.ok(performance.now() - started < 7_000);
  });
}

t.test('a stream that a restart cuts resumes at its cursor', async (t) => {
  const { url, kernel } = await startPlatform(t, { extensions: [ownExtension('members'), fixture('hello')] });
  const operations = kernel.operations();
  const transport = http({ url, resume: { attempts: 50, wait_ms: 20 } });
  t.teardown(() => transport.close());
  let seen = 0;
  let enough = Number.POSITIVE_INFINITY;
  const reading = (async () => {
    for await (const event of connect<Api>(operations, transport).hello.count({ to: 1000, every_ms: 5 })) {
      if (event.type !== 'tick') return `interrupted by ${event.type}`;
      seen += 1;
      if (seen >= enough) return 'read on';
    }
    return 'ended';
  })();
  await until(
    () => seen,
    (count) => count > 3,
  );
  await kernel.close();
  enough = seen + 5;
  await startPlatform(t, { extensions: [ownExtension('members'), fixture('hello')], settings: { port: Number(new URL(url).port) } });
  t.equal(await reading, 'read on');
});
