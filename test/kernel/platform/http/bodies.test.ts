import { type ClientRequest, request } from 'node:http';
import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { Bodies, in_memory } from '../../../../kernel/platform/http/bodies.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { callerOf } from '../../../helpers/platform.js';
import { startWorld } from './world.js';

const mebibyte = 1024 * 1024;
const path = '/api/hello/hold';

const of = (member_id: number, address = '') => callerOf({ member_id, username: 'x', role: 'member', address });

t.test('the sum of bodies is limited per sender and in total, except small ones', (t) => {
  const bodies = new Bodies(in_memory);
  const arrive = (bytes: number, caller = of(1)) => {
    const body = bodies.begin(caller);
    body.keep(bytes);
    return body;
  };
  const refused = (bytes: number, caller = of(1)) => {
    try {
      arrive(bytes, caller).leave();
      return undefined;
    } catch (fault) {
      return (fault as { code: string }).code;
    }
  };
  const first = arrive(100 * mebibyte);
  t.equal(refused(28 * mebibyte), undefined);
  t.equal(refused(29 * mebibyte), 'rate_limited');
  t.equal(refused(64 * 1024), undefined, 'a small body is accepted');
  const others = [2, 3].map((id) => arrive(78 * mebibyte, of(id)));
  t.equal(refused(mebibyte, of(4)), 'server_busy');
  t.equal(refused(64 * 1024, of(4)), undefined, 'a small body is accepted');
  first.leave();
  first.leave();
  first.keep(mebibyte);
  t.equal(refused(101 * mebibyte, of(4)), 'server_busy', 'a body released twice counts once');
  t.equal(refused(100 * mebibyte, of(4)), undefined);
  for (const body of others) body.leave();
  const strangers = ['192.0.2.1', '192.0.2.2'].map((address) => arrive(32 * mebibyte, of(0, address)));
  t.equal(refused(mebibyte, of(0, '192.0.2.3')), 'server_busy', 'unauthenticated senders have a sum of their own');
  t.equal(refused(128 * mebibyte), undefined);
  for (const body of strangers) body.leave();
  t.end();
});

/** Operations that answer once they are let, whatever they get; the second takes files. */
async function holding(t: Test) {
  let let_go = () => {};
  const end = new Promise<void>((resolve) => {
    let_go = resolve;
  });
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], {
    'hello.hold': {
      summary: 'Holds what it gets',
      who: 'member',
      method: 'POST',
      path,
      input: (j) => j.object({ text: j.string().allow('') }),
      max_bytes: 50 * mebibyte,
      timeout_ms: 60_000,
      does: () => end,
    },
    'hello.put': {
      summary: 'Holds a file',
      who: 'public',
      method: 'POST',
      path: '/api/hello/put',
      kind: 'upload',
      raw: 'application/x-tar',
      max_bytes: 200 * mebibyte,
      timeout_ms: 60_000,
      does: () => end,
    },
  });
  const send = (token: string, bytes: number, signal?: AbortSignal) =>
    fetch(made.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'x'.repeat(bytes) }),
      ...(signal ? { signal } : {}),
    });
  return { ...made, send, let_go };
}

t.test('large requests in progress are counted until they end', async (t) => {
  const { active, send, let_go } = await holding(t);
  const held = [1, 2].map(() => send('member', 49 * mebibyte));
  await until(active, (calls) => calls === 2);
  const refused = await send('member', 49 * mebibyte);
  t.same([refused.status, refused.headers.get('retry-after')], [429, '1']);
  t.match(await refused.json(), { code: 'rate_limited' });
  const small = send('member', 1_000);
  await until(active, (calls) => calls === 3);
  let_go();
  for (const answer of await Promise.all([...held, small])) t.equal(answer.status, 204);
  t.equal((await send('member', 49 * mebibyte)).status, 204, 'the limit is free again once they have ended');
});

t.test('a body is counted as it arrives, and no longer after its sender left', async (t) => {
  const { port, send, let_go } = await holding(t);
  let_go();
  const headers = { authorization: 'Bearer member', 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
  const begin = (bytes: number, written = () => {}) => {
    const req = request({ port, path, method: 'POST', headers }).on('error', () => undefined);
    req.write(`{"text":"${'x'.repeat(bytes)}`, written);
    return req;
  };
  const promised = [1, 2, 3, 4, 5, 6].map(() => begin(1));
  const arrived: ClientRequest[] = [];
  // Together with a third one that passed them, one of them would be refused.
  for (const _ of [1, 2]) await new Promise<void>((resolve) => arrived.push(begin(48 * mebibyte, resolve)));
  const status = async () => (await send('member', 40 * mebibyte)).status;
  await becomes(t, status, 429);
  for (const req of arrived) req.destroy();
  await becomes(t, status, 204);
  for (const req of promised) req.destroy();
});

t.test('files are limited until their receivers have them', async (t) => {
  const file = { mime_type: 'text/plain', bytes: Buffer.alloc(100 * mebibyte) };
  const made = await startWorld();
  t.teardown(() => made.http.close(1_000));
  await made.serve('hello', ['/api/hello'], {
    'hello.file': {
      summary: 'A file',
      who: 'member',
      method: 'GET',
      path: '/api/hello/file',
      kind: 'file',
      answer: (j) => j.any(),
      does: () => file,
    },
  });
  const get = () => fetch(`${made.url}/api/hello/file`, { headers: { authorization: 'Bearer member' } });
  const slow = await Promise.all([get(), get()]);
  const refused = await get();
  t.same([refused.status, refused.headers.get('retry-after')], [429, '1']);
  for (const answer of slow) t.equal((await answer.arrayBuffer()).byteLength, file.bytes.length);
  await becomes(t, async () => (await get()).status, 200);
});

t.test('files are limited by their size on disk', async (t) => {
  const { url, active, let_go } = await holding(t);
  const headers = { 'content-type': 'application/x-tar', 'content-encoding': 'gzip' };
  const put = (size: number) => fetch(`${url}/api/hello/put`, { method: 'POST', headers, body: gzipSync(Buffer.alloc(size * mebibyte)) });
  const first = put(130);
  await until(active, (calls) => calls === 1);
  const refused = await put(130);
  t.same([refused.status, refused.headers.get('retry-after')], [503, '1']);
  t.match(await refused.json(), { code: 'server_busy' });
  let_go();
  t.equal((await first).status, 204);
  t.equal((await put(199)).status, 204, 'the limit is free again once they have ended');
});
