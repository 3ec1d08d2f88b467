import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import t, { type Test } from 'tap';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { callerOf, startPlatform, type TestPlatform } from '../../helpers/platform.js';
import { clientOf, history, scheduled, withLabour } from './world.js';

async function listening(t: Test, handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const asker = ({ kernel }: TestPlatform) => connect<SchedulesApi>(kernel.operations(), direct(kernel, callerOf()));

t.test('an allowed address is called', async (t) => {
  const platform = await startPlatform(t, { ...withLabour, settings: { fetch_allow: ['127.0.0.1'] } });
  const client = asker(platform);
  const seen: object[] = [];
  const url = await listening(t, async (request, response) => {
    let body = '';
    for await (const part of request) body += part;
    seen.push({ method: request.method, path: request.url, token: request.headers['x-token'], body });
    response.statusCode = Number(new URL(request.url ?? '/', 'http://x').searchParams.get('status') ?? 200);
    response.end(`got ${body}\0`);
  });

  const answer = await client.http.request({ url: `${url}/hook`, method: 'post', headers: { 'X-Token': 'a secret' }, body: '{"a":1}' });
  t.same(answer, { status: 200, body: 'got {"a":1}\uFFFD' });
  t.same(seen, [{ method: 'POST', path: '/hook', token: 'a secret', body: '{"a":1}' }]);
  t.match(await client.http.request({ url: `${url}/?status=404`, expect: [404] }), { status: 404 });
  await t.rejects(client.http.request({ url: `${url}/?status=500` }), {
    code: 'http_status',
    message: /127\.0\.0\.1:\d+ answered 500: got/,
  });
  await t.rejects(client.http.request({ url: `${url}/`, headers: { 'bad name': 'x' } }), { code: 'fetch_bad_url' });
  await t.rejects(client.http.request({ url: 'file:///etc/passwd' }), { code: 'invalid_input' });

  const admin = clientOf(platform);
  const secret = { url: `${url}/secret`, headers: { 'X-Token': 'a secret' } };
  const kept = await scheduled(admin, { action: 'http.request', params: secret });
  const shown = { ...secret, headers: { 'X-Token': '[redacted]' } };
  t.same(kept.params, shown, 'the secret is masked');
  await admin.schedules.update({ id: kept.id, params: { ...shown, method: 'POST' } });
  await admin.schedules.run({ id: kept.id });
  await history(admin, kept, 1);
  t.same(seen.at(-1), { method: 'POST', path: '/secret', token: 'a secret', body: '' }, 'a masked secret that is sent back stays');
  const unwritten = { code: 'invalid_input', message: /enter the secret/ };
  const elsewhere = { ...shown, url: url.replace('127.0.0.1', 'localhost') };
  for (const change of [{ params: elsewhere }, { action: 'labour.flow' }, { action: 'labour.flow', params: shown }])
    await t.rejects(
      admin.schedules.update({ id: kept.id, ...change }),
      unwritten,
      'a masked secret is not moved to another address or action',
    );

  const call = await scheduled(admin, { action: 'http.request', params: { url: `${url}/plan` } });
  const fails = await scheduled(admin, { action: 'http.request', params: { url: `${url}/plan?status=503` } });
  for (const { id } of [call, fails]) await admin.schedules.run({ id });
  t.match(await history(admin, call, 1), [{ status: 'success', result: '{"status":200,"body":"got \uFFFD"}' }]);
  t.match(await history(admin, fails, 1), [{ status: 'failed', error_code: 'http_status' }]);
});

t.test('refuses private addresses, even after a redirect or behind a name', async (t) => {
  const url = await listening(t, (_request, response) => response.end('inside'));
  const platform = await startPlatform(t, withLabour);
  const client = asker(platform);
  for (const address of [
    url,
    url.replace('127.0.0.1', 'localhost'),
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]:8080/',
    'http://10.0.0.1/',
  ])
    await t.rejects(client.http.request({ url: address }), { code: 'fetch_address_refused' }, address);

  const admin = clientOf(platform);
  const action = 'http.request';
  const refused = { code: 'fetch_address_refused', status: 400, message: /unless the setting fetch_allow names it/ };
  const inside = url.replace('127.0.0.1', 'localhost');
  for (const refusedUrl of [url, inside, 'http://2130706433:8080/', 'https://[::ffff:7f00:1]/', 'http://10.0.0.1/', platform.url])
    await t.rejects(scheduled(admin, { action, params: { url: refusedUrl } }), refused, `${refusedUrl} is rejected when saved`);
  await t.rejects(scheduled(admin, { action, params: { url: 'https://ada:secret@example.com/' } }), { code: 'fetch_bad_url' });
  const later = await scheduled(admin, { action, params: { url: 'http://not-there-yet.invalid/' } });
  await t.rejects(admin.schedules.update({ id: later.id, params: { url: inside } }), refused, 'a change is checked too');
  await admin.schedules.run({ id: later.id });
  t.match(await history(admin, later, 1), [{ status: 'failed', error_code: 'fetch_failed' }], 'a name that has no address yet is saved');
});
