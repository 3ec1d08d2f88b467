import { createServer } from 'node:net';
import t from 'tap';
import { signatureOf } from '../../../../extensions/notifications/channels/webhook.js';
import { until } from '../../../helpers/eventually.js';
import { startReceiver } from '../../../helpers/vendors/receiver.js';
import { startWebhook } from '../../../helpers/vendors/webhook.js';
import { note, openChannels } from './world.js';

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwwdVGvWnjrrE=';
const { about, ...own } = note;
const payload = { type: 'notification.created', timestamp: note.created_at, data: { ...own, ...about } };

t.test('the note arrives as JSON with the same id in each attempt', async (t) => {
  const receiver = await startWebhook(t);
  const { send } = openChannels(t);
  await send('webhook', { url: receiver.url });
  await send('webhook', { url: receiver.url, secret: '' }, { summary: '日本語 👩‍👩‍👧‍👦 "quoted"' });
  t.strictSame(receiver.received[0]?.body, payload);
  t.same(
    receiver.received.map(({ headers }) => headers['webhook-id']),
    ['notification-12', 'notification-12'],
  );
  t.match(receiver.received[0], {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'platform' },
  });
  t.notOk(receiver.received[1]?.headers['webhook-signature']);
  t.match(receiver.received[1]?.body, { data: { summary: '日本語 👩‍👩‍👧‍👦 "quoted"' } });
});

t.test("the signature of a webhook equals Standard Webhooks' own example", async (t) => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' };
  t.equal(signatureOf(message, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

t.test('a verifying receiver accepts only the right secret', async (t) => {
  const receiver = await startWebhook(t, { secret });
  const { send, refused } = openChannels(t);
  await send('webhook', { url: receiver.url, secret });
  t.strictSame(receiver.accepted, [payload]);
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  t.match(await refused('webhook', { url: receiver.url, secret: other }), { retry: false, message: /HTTP 401/ });
  t.match(await refused('webhook', { url: receiver.url }), { retry: false });
  const late = openChannels(t, { clock: { now: () => Date.now() - 600_000, iso: () => '' } });
  t.match(
    await late.refused('webhook', { url: receiver.url, secret }),
    { retry: false, message: /HTTP 401/ },
    'the timestamp is signed too',
  );
});

t.test('an unusable secret is rejected before anything is sent', async (t) => {
  const receiver = await startWebhook(t);
  const { refused } = openChannels(t);
  for (const wrong of [
    'hunter2',
    'whsec_',
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ]) {
    const { message, retry } = await refused('webhook', { url: receiver.url, secret: wrong });
    t.match({ message, retry }, { message: /'Secret' of Webhook is wrong: it must be whsec_ and 24 to 64 bytes/, retry: false }, wrong);
    t.notMatch(message, /hunter2/);
  }
  t.same(receiver.received, []);
});

t.test('any 2xx accepts; temporary failures are retried, permanent ones are not', async (t) => {
  const receiver = await startWebhook(t);
  const { send, refused } = openChannels(t);
  const { url } = receiver;
  for (const status of [200, 201, 202, 204, 299]) {
    receiver.next({ status });
    await t.resolves(send('webhook', { url }), String(status));
  }
  for (const status of [408, 425, 429, 500, 502, 503, 504, 599]) {
    receiver.next({ status, body: 'hunter2' });
    t.match(
      await refused('webhook', { url }),
      { retry: true, message: new RegExp(`^127.0.0.1:\\d+ answered HTTP ${status}`) },
      String(status),
    );
  }
  for (const status of [400, 401, 403, 404, 405, 410, 413, 422, 451]) {
    receiver.next({ status, headers: { 'retry-after': '5' }, body: 'hunter2' });
    const thrown = await refused('webhook', { url });
    t.match(thrown, { retry: false, retry_after_ms: undefined, message: new RegExp(`HTTP ${status}`) }, String(status));
    t.notMatch(thrown.message, /hunter2|webhook-token/);
  }
});

t.test('Retry-After may be seconds or a date, up to half an hour', async (t) => {
  const receiver = await startWebhook(t);
  const now = Date.parse('2026-03-04T05:06:07Z');
  const { refused } = openChannels(t, { clock: { now: () => now, iso: () => '' } });
  const waits: [text: string, ms: number | undefined][] = [
    ['120', 120_000],
    ['0', 0],
    ['999999', 1_800_000],
    [new Date(now + 90_000).toUTCString(), 90_000],
    [new Date(now + 86_400_000).toUTCString(), 1_800_000],
    [new Date(now - 90_000).toUTCString(), 0],
    ['soon', undefined],
    ['-5', undefined],
    ['never GMT', undefined],
  ];
  for (const [text, ms] of waits) {
    receiver.next({ status: 503, headers: { 'retry-after': text } });
    t.equal((await refused('webhook', { url: receiver.url })).retry_after_ms, ms, text);
  }
  receiver.next({ status: 503 });
  t.equal((await refused('webhook', { url: receiver.url })).retry_after_ms, undefined);
});

t.test('a redirect that keeps the method is followed up to three times; another one fails', async (t) => {
  const receiver = await startWebhook(t);
  const { send, refused } = openChannels(t);
  for (const status of [307, 308]) {
    receiver.next({ status, headers: { location: '/moved' } });
    await send('webhook', { url: receiver.url });
    t.match(receiver.received.at(-1), {
      method: 'POST',
      url: { pathname: '/moved' },
      body: payload,
      headers: { 'webhook-id': 'notification-12' },
    });
  }
  for (const status of [301, 302, 303]) {
    const before = receiver.received.length;
    receiver.next({ status, headers: { location: '/moved' } });
    t.match(await refused('webhook', { url: receiver.url }), {
      retry: false,
      message: /redirect \(HTTP 30\d\): set the address that it leads to/,
    });
    t.equal(receiver.received.length, before + 1, "the redirect's target is not requested");
  }
  const moved = { status: 307, headers: { location: '/round' } };
  receiver.next(moved, moved, moved, moved);
  t.match(await refused('webhook', { url: receiver.url }), { retry: false, message: /HTTP 307/ });
});

t.test('a webhook reaches no private address by a redirect or a name', async (t) => {
  const inside = await startWebhook(t);
  const { port } = new URL(inside.url);
  const outside = await startReceiver(t, () => ({ status: 307, headers: { location: `http://127.0.0.2:${port}/` } }));
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const { refused } = openChannels(t, { guard: { allow: [new URL(outside.origin).host], lookup }, allowed: () => true });
  t.match(await refused('webhook', { url: `${outside.origin}/hook` }), {
    retry: false,
    message: /^127\.0\.0\.2:\d+ is a private address.*fetch_allow/,
  });
  t.match(await refused('webhook', { url: inside.url }), { retry: false, message: /private address/ });
  t.match(await refused('webhook', { url: `http://hooks.example:${port}/` }), {
    retry: false,
    message: /^hooks\.example:\d+ is a private address/,
  });
  t.equal(outside.received.length, 1);
  t.same(inside.received, []);
});

t.test('a redirect from https to http is not followed', async (t) => {
  const { startSecureServer } = await import('../../../helpers/secure-server.js');
  const clear = await startWebhook(t);
  const secure = await startSecureServer(t, (request, response) => {
    request.resume();
    response.writeHead(307, { location: clear.url }).end();
  });
  const { refused } = openChannels(t);
  t.match(await refused('webhook', { url: secure }), { retry: false, message: /HTTP 307/ });
  t.same(clear.received, []);
});

t.test('a silent, closed or unreachable server is retried', async (t) => {
  const receiver = await startWebhook(t);
  const { refused } = openChannels(t, { timeout_ms: 200 });
  receiver.next('silence', 'break off');
  t.match(await refused('webhook', { url: receiver.url }), { retry: true, message: /did not answer within 200 ms/ });
  t.match(await refused('webhook', { url: receiver.url }), { retry: true, message: /could not be reached, or closed the connection/ });
  const gone = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => gone.once('listening', resolve));
  const { port } = gone.address() as { port: number };
  await new Promise((resolve) => gone.close(resolve));
  t.match(await refused('webhook', { url: `http://127.0.0.1:${port}/` }), { retry: true, message: /could not be reached/ });
  const unknown = openChannels(t, { guard: { lookup: async () => [] } });
  t.match(await unknown.refused('webhook', { url: 'https://nowhere.example/' }), {
    retry: true,
    message: /^nowhere\.example could not be reached/,
  });
});

t.test('all redirects of a delivery share its time limit', async (t) => {
  const receiver = await startWebhook(t);
  const { refused } = openChannels(t, { timeout_ms: 300 });
  receiver.next({ status: 307, headers: { location: '/a' } }, { status: 307, headers: { location: '/b' } }, 'silence');
  const began = Date.now();
  t.match(await refused('webhook', { url: receiver.url }), { retry: true, message: /did not answer within 300 ms/ });
  t.ok(Date.now() - began < 9_000, 'the delivery ends long before its usual time-out');
});

t.test('an aborted delivery ends at once and can be retried', async (t) => {
  const receiver = await startWebhook(t);
  const { refused } = openChannels(t);
  receiver.next('silence');
  const stop = new AbortController();
  const ended = refused('webhook', { url: receiver.url }, {}, stop.signal);
  await until(
    () => receiver.received.length,
    (count) => count === 1,
  );
  const began = Date.now();
  stop.abort();
  t.match(await ended, { retry: true, message: /was cancelled/ });
  t.ok(Date.now() - began < 9_000, 'the delivery ends long before its usual time-out');
  t.match(await refused('webhook', { url: receiver.url }, {}, stop.signal), { retry: true, message: /was cancelled/ });
  t.equal(receiver.received.length, 1, 'nothing is sent after the abort');
});

t.test('an endless response is not read to its end', async (t) => {
  const receiver = await startWebhook(t);
  const { refused } = openChannels(t);
  receiver.next({ body: 'x'.repeat(1024 * 1024 + 1) });
  t.match(await refused('webhook', { url: receiver.url }), { retry: false, message: /more than 1048576 bytes/ });
});
