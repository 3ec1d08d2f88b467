import type { Socket } from 'node:net';
import t, { type Test } from 'tap';
import type { Authenticator } from '../../../../../kernel/contract/extension.js';
import { fail } from '../../../../../kernel/contract/failure.js';
import type { Journal } from '../../../../../kernel/contract/journal.js';
import type { SocketLimits } from '../../../../../kernel/platform/http/socket/limits.js';
import type { SocketPlatform } from '../../../../../kernel/platform/http/socket/platform.js';
import { MemoryJournal } from '../../../../../kernel/platform/journal/memory.js';
import type { Broadcast } from '../../../../../kernel/platform/journal/pusher.js';
import { systemClock } from '../../../../helpers/databases.js';
import { becomes } from '../../../../helpers/eventually.js';
import { callerOf } from '../../../../helpers/platform.js';
import { startWorld as startHttp } from '../world.js';
import { type Client, type ConnectOptions, connect } from './client.js';

interface Given {
  journal?: Journal;
  limits?: Partial<SocketLimits>;
  requests_per_minute?: number;
  token?: Authenticator['token'];
}

/** Sockets without a host or a database. The token `m7` is member 7's. */
async function start(t: Test, { journal = new MemoryJournal({ clock: systemClock }), limits, requests_per_minute = 0, token }: Given = {}) {
  const connected: number[] = [];
  let deliver: (broadcast: Broadcast) => void = () => undefined;
  const sockets: SocketPlatform = {
    journal,
    presence: {
      connect(member_id) {
        connected.push(member_id);
        return { set: () => undefined, close: () => void connected.splice(connected.indexOf(member_id), 1) };
      },
      present: () => [],
      listen: () => undefined,
    },
    readers: (topic) => (topic.startsWith('t') ? 'member' : undefined),
    review: async ({ data }) => data,
    receive: async ({ type }) => {
      if (type === 'never') await new Promise(() => {});
      return type === 'known';
    },
    broadcasts: async (heard) => {
      deliver = heard;
      return async () => undefined;
    },
  };
  const authenticator: Authenticator = {
    token: token ?? ((given) => callerOf({ member_id: Number(given.slice(1)), role: 'member', token_id: given })),
    ticket: async () => callerOf(),
    local: async () => callerOf(),
    ended: async () => [],
  };
  const config = { limits: { requests_per_minute, costly_per_minute: 0 }, trusted_proxies: ['127.0.0.0/8'] };
  const made = await startHttp({ sockets, socket_limits: { tick_ms: 20, ...limits }, authenticator: () => authenticator, config });
  t.teardown(() => made.http.close(500));
  /** Frames of so many KB to everyone, all at once; the `n` of the first. */
  const burst = (count: number, kb: number, from = 0) => {
    for (let n = from; n < from + count; n += 1) {
      deliver({ to: 'everyone', text: JSON.stringify({ type: 'note', data: { n, pad: 'x'.repeat(kb * 1_000) } }) });
    }
  };
  return { ...made, connected, burst };
}

t.test('a token revoked during its lookup opens no socket', async (t) => {
  let looked = () => undefined as unknown;
  const token = () =>
    new Promise<ReturnType<typeof callerOf>>((resolve) => (looked = () => resolve(callerOf({ member_id: 7, token_id: 'one' }))));
  const made = await start(t, { token });
  for (const [ended, closed] of [
    [{ member_id: 7 }, true],
    [{ member_id: 7, token_id: 'one' }, true],
    [{ member_id: 7, token_id: 'two' }, false],
    [{ member_id: 8 }, false],
  ] as const) {
    const client = await connect(t, made.url, { token: 'm7' });
    made.http.disconnect(ended);
    looked();
    if (closed) t.same(await client.end(), { code: 4003, reason: 'revoked' });
    else await client.next('hello');
    t.equal(client.of('hello').length, closed ? 0 : 1);
    await client.close();
  }
});

t.test('frames before hello are handled after it', async (t) => {
  const made = await start(t);
  const early = await connect(t, made.url);
  early.send({ type: 'auth', token: 'm7' });
  for (let n = 0; n < 5; n += 1) early.send({ type: 'known', id: n });
  await becomes(t, () => early.frames.map(({ type, id }) => [type, id ?? null]), [
    ['hello', null],
    ...Array.from({ length: 5 }, (_, n) => ['ack', n]),
  ] as [string, number | null][]);
});

t.test('the sockets of one member are limited', async (t) => {
  const made = await start(t, { limits: { per_member: 3 } });
  const open = [];
  for (let n = 0; n < 3; n += 1) open.push(await connect(t, made.url, { token: 'm7' }));
  for (const client of open) await client.next('hello');
  const more = await connect(t, made.url, { token: 'm7' });
  t.same(await more.end(), { code: 1008, reason: 'too_many_sockets' });
  t.match(more.frames, [{ type: 'error', data: { statusCode: 429, code: 'too_many_sockets' } }]);
  await (await connect(t, made.url, { token: 'm8' })).next('hello');
  await open[0]?.close();
  await (await connect(t, made.url, { token: 'm7' })).next('hello');
  t.same(made.connected.sort(), [7, 7, 7, 8]);
});

t.test('bad tokens are counted by address, and above the limit no longer confirmed as bad', async (t) => {
  const token = (given: string) => {
    if (given === 'm7') return callerOf({ member_id: 7, token_id: given });
    throw fail('invalid_token', 'The token is not valid');
  };
  const made = await start(t, { token, requests_per_minute: 4 });
  const from = (address: string, options: ConnectOptions = {}) =>
    connect(t, made.url, { ...options, headers: { 'x-forwarded-for': address } });
  const first = async (address: string) => {
    const client = await from(address);
    client.send({ type: 'auth', token: 'forged' });
    return client.end();
  };
  const bad = { code: 4001, reason: 'invalid_token' };
  t.same(await (await from('2001:db8::1', { query: { token: 'forged' } })).end(), bad);
  t.same(await first('2001:db8::2'), bad, 'the address is from the same network');
  const headers = { 'x-forwarded-for': '2001:db8::3', authorization: 'Bearer forged' };
  t.equal((await fetch(`${made.url}/metrics`, { headers })).status, 401, 'a request for the metrics does not confirm a token either');
  t.same(await first('2001:db8::4'), bad);
  t.equal((await fetch(`${made.url}/metrics`, { headers })).status, 429);
  const limited = { code: 1008, reason: 'rate_limited' };
  t.same(await first('2001:db8::5'), limited);
  t.same(await (await from('2001:db8::6', { query: { token: 'forged' } })).end(), limited);
  t.same(await first('192.0.2.1'), bad, 'another address is not limited');
  await (await from('2001:db8::7', { query: { token: 'm7' } })).next('hello');
});

t.test('unauthenticated sockets are limited per address', async (t) => {
  const made = await start(t, { limits: { unknown_per_address: 2 } });
  const waiting = [await connect(t, made.url), await connect(t, made.url)];
  const more = await connect(t, made.url);
  t.same(await more.end(), { code: 1008, reason: 'too_many_sockets' });
  waiting[0]?.send({ type: 'auth', token: 'm7' });
  await waiting[0]?.next('hello');
  t.equal((await connect(t, made.url)).closed, undefined);
});

t.test("a socket's topics are limited, and a list is subscribed as a whole or not at all", async (t) => {
  const made = await start(t, { limits: { topics: 3 } });
  const client = await connect(t, made.url, { token: 'm7' });
  const ask = async (type: string, topics: string[]) => {
    client.send({ type, id: topics.join(), data: { topics } });
    await becomes(t, () => client.frames.some(({ id }) => id === topics.join()), true);
    const answer = client.frames.findLast(({ id }) => id === topics.join());
    return answer?.type === 'error' ? answer.data.code : answer?.type;
  };
  t.equal(await ask('subscribe', ['t1', 'unknown']), 'topic_not_found');
  t.equal(await ask('subscribe', ['t1', 't2', 't3']), 'ack');
  t.equal(await ask('subscribe', ['t4']), 'invalid_input');
  t.equal(await ask('subscribe', ['t3']), 'ack', 'a topic subscribed twice counts once');
  t.equal(await ask('unsubscribe', ['t1', 'unknown too']), 'ack');
  t.equal(await ask('subscribe', ['t4', 't4']), 'ack');
});

t.test('the handler of a frame is aborted at its time limit, and the next frame is handled', async (t) => {
  const made = await start(t, { limits: { handler_ms: 50 } });
  const client = await connect(t, made.url, { token: 'm7' });
  client.send({ type: 'never', id: 1 });
  client.send({ type: 'known', id: 2 });
  t.match(await client.next('error'), { id: 1, data: { statusCode: 503, code: 'operation_timeout' } });
  t.match(await client.next('ack'), { id: 2 });
});

t.test('the frames that wait for an earlier one are limited', async (t) => {
  const made = await start(t, { limits: { inbox_bytes: 100_000 } });
  const client = await connect(t, made.url, { token: 'm7' });
  await client.next('hello');
  client.send({ type: 'never' });
  for (let n = 0; n < 3; n += 1) client.send({ type: 'known', data: { pad: 'x'.repeat(40_000) } });
  t.same(await client.end(), { code: 1008, reason: 'too_many_frames' });
});

t.test('sockets are asked to reconnect later while the journal is unavailable', async (t) => {
  const journal = new MemoryJournal({ clock: systemClock });
  const away = () => Promise.reject(fail('bus_unavailable', 'Redis at 10.0.0.7 does not serve'));
  const made = await start(t, { journal: Object.assign(journal, { head: away }) });
  const client = await connect(t, made.url, { token: 'm7' });
  t.same(await client.end(), { code: 1013, reason: 'bus_unavailable' });
  t.match(client.frames, [{ type: 'error', data: { statusCode: 503, code: 'bus_unavailable' } }]);
  t.notMatch(JSON.stringify(client.frames), /10\.0\.0\.7/);
  t.ok(made.lines.some(({ level, message }) => level === 'warn' && message.includes('10.0.0.7')));
  t.same(made.connected, []);
});

t.test('sockets are asked to reconnect later while members is not active', async (t) => {
  const token = () => {
    throw fail('extension_unavailable', 'members is not active');
  };
  const made = await start(t, { token });
  t.same(await (await connect(t, made.url, { token: 'm7' })).end(), { code: 1013, reason: 'extension_unavailable' });
});

t.test('a fault during authentication reveals nothing', async (t) => {
  const token = () => {
    throw new TypeError('a secret detail');
  };
  const made = await start(t, { token });
  const client = await connect(t, made.url, { token: 'm7' });
  t.same(await client.end(), { code: 1013, reason: 'internal_error' });
  t.notMatch(JSON.stringify(client.frames), /secret/);
  t.ok(made.lines.some(({ level }) => level === 'error'));
});

const noted = (client: Client) => client.of('note').map(({ data }) => data.n);
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);
const netOf = ({ ws }: Client) => (ws as unknown as { _socket: Socket })._socket;

t.test('a burst of many megabytes does not cut reading clients', async (t) => {
  const made = await start(t);
  const clients = [await connect(t, made.url, { token: 'm7' }), await connect(t, made.url, { token: 'm8' })];
  for (const client of clients) await client.next('hello');
  made.burst(200, 60);
  setImmediate(() => made.burst(1, 1, 200));
  for (const client of clients) await becomes(t, () => noted(client), upTo(201));
  // A client that pauses for less than the limit is behind, and catches up.
  netOf(clients[0] as Client).pause();
  made.burst(100, 100, 201);
  await becomes(t, () => noted(clients[1] as Client), upTo(301));
  netOf(clients[0] as Client).resume();
  await becomes(t, () => noted(clients[0] as Client), upTo(301));
});

t.test('unread data of a socket is limited', async (t) => {
  const made = await start(t, { limits: { max_unread_bytes: 2_000_000 } });
  const client = await connect(t, made.url, { token: 'm7' });
  await client.next('hello');
  made.burst(60, 60);
  t.same(await client.end(), { code: 1013, reason: 'too slow' });
});
