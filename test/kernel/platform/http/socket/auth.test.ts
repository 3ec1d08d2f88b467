import { readFile } from 'node:fs/promises';
import { connect as connectTo } from 'node:net';
import t from 'tap';
import { WebSocket } from 'ws';
import { localKeyFile, localSocket } from '../../../../../kernel/client/local-address.js';
import { movableClock } from '../../../../extensions/members/world.js';
import { until } from '../../../../helpers/eventually.js';
import { Client, type ConnectOptions, connect } from './client.js';
import { startWorld } from './world.js';

const settings = { log_level: 'debug', cors_origins: ['https://app.example'], base_url: 'https://platform.example' };
const clock = movableClock();
const world = await startWorld(t, { settings, clock });
const { url } = world;
const ann = await world.person('ann');

const ticketOf = async (token: string) => (await world.ask<{ ticket: string }>('auth.ticket', {}, token)).ticket;

t.test('a header, a ticket, a token in the address and a first frame each authenticate', async (t) => {
  const query = { ticket: await ticketOf(ann.token) };
  const ways: ConnectOptions[] = [{ token: ann.token }, { query }, { query: { token: ann.token } }];
  for (const way of ways) t.match(await (await connect(t, url, way)).next('hello'), { data: { member_id: ann.id } });
  const framed = await connect(t, url);
  framed.send({ type: 'auth', token: ann.token });
  t.match(await framed.next('hello'), { data: { member_id: ann.id } });
  const inData = await connect(t, url);
  inData.send({ type: 'auth', data: { token: ann.token } });
  t.match(await inData.next('hello'), { data: { member_id: ann.id } });
});

t.test('the header takes precedence over the ticket, and that over the token', async (t) => {
  const wrong = { ticket: 'no ticket', token: 'no token' };
  t.match(await (await connect(t, url, { token: ann.token, query: wrong })).next('hello'), { data: { member_id: ann.id } });
  const query = { ticket: await ticketOf(ann.token), token: 'no token' };
  t.match(await (await connect(t, url, { query })).next('hello'), { data: { member_id: ann.id } });
});

t.test('the local socket authenticates by its key', async (t) => {
  const key = (await readFile(localKeyFile(world.data_dir), 'utf8')).trim();
  const open = (authorization: string) => {
    const createConnection = () => connectTo(localSocket(world.data_dir));
    const ws = new WebSocket('ws://localhost/ws', { headers: { authorization }, createConnection: createConnection as never });
    t.teardown(() => ws.terminate());
    return ws;
  };
  t.match(await new Client(open(`Local ${key}`)).next('hello'), { data: { member_id: 1 } });
  const status = await new Promise((resolve) =>
    open('Local wrong')
      .on('unexpected-response', (_req, res) => resolve(res.statusCode))
      .on('error', () => undefined),
  );
  t.equal(status, 401);
});

t.test('unauthenticated sockets are closed with 4001 and a reason', async (t) => {
  const used = await ticketOf(ann.token);
  await (await connect(t, url, { query: { ticket: used } })).next('hello');
  const ways: [ConnectOptions, string][] = [
    [{ token: 'wrong' }, 'invalid_token'],
    [{ headers: { authorization: 'Basic YTpi' } }, 'invalid_token'],
    [{ headers: { authorization: '' } }, 'invalid_token'],
    [{ query: { token: 'wrong' } }, 'invalid_token'],
    [{ query: { token: '' } }, 'invalid_token'],
    [{ query: { ticket: used } }, 'invalid_token'],
    [{ query: { ticket: '\u0000' } }, 'malformed_request'],
    [{ token: ann.token, headers: { origin: 'https://evil.example' } }, 'origin_refused'],
    [{ token: ann.token, headers: { origin: 'null' } }, 'origin_refused'],
  ];
  for (const [way, code] of ways) {
    if (code === 'malformed_request') {
      await t.rejects(connect(t, url, way), /400/, 'the address is rejected before a socket exists');
      continue;
    }
    const client = await connect(t, url, way);
    t.same(await client.end(), { code: 4001, reason: code }, JSON.stringify(way.query ?? way.headers ?? code));
    t.match(client.frames, [{ type: 'error', data: { code, message: String, request_id: String } }]);
  }
});

t.test('only auth frames are accepted before authentication', async (t) => {
  const first: [string | Buffer, string][] = [
    ['{"type":"ping"}', 'unauthenticated'],
    ['{"type":"subscribe","data":{"topics":["log"]}}', 'unauthenticated'],
    ['{"type":"auth"}', 'invalid_token'],
    ['{"type":"auth","token":7}', 'invalid_token'],
    ['{"type":"auth","token":"wrong"}', 'invalid_token'],
    ['no json', 'malformed_frame'],
    ['', 'malformed_frame'],
    ['[]', 'malformed_frame'],
    [Buffer.from(JSON.stringify({ type: 'auth', token: ann.token })), 'malformed_frame'],
  ];
  for (const [frame, code] of first) {
    const client = await connect(t, url);
    client.ws.send(frame);
    t.same(await client.end(), { code: 4001, reason: code }, String(frame).slice(0, 40));
    t.equal(client.of('hello').length, 0);
  }
});

t.test('a socket without authentication is closed after 10 s', async (t) => {
  const client = await connect(t, url);
  clock.forward(9_000);
  client.send({ type: 'auth', token: ann.token });
  await client.next('hello');
  const silent = await connect(t, url);
  await until(
    () => world.lines.length,
    (count) => count > 0,
  );
  clock.forward(10_000);
  t.same(await silent.end(), { code: 4001, reason: 'unauthenticated' });
});

t.test('only pages of allowed origins and of the platform itself may open a socket', async (t) => {
  for (const origin of ['https://app.example', 'https://platform.example', url]) {
    const client = await connect(t, url, { token: ann.token, headers: { origin } });
    t.match(await client.next('hello'), { data: { member_id: ann.id } }, origin);
  }
});

t.test('a token with few scopes can only read', async (t) => {
  const make = async (scopes: string[]) =>
    (await world.ask<{ token: string }>('tokens.create', { name: scopes.join(), scopes }, world.admin.token)).token;
  const chatter = await connect(t, url, { token: await make(['chat']) });
  t.same(await chatter.end(), { code: 4001, reason: 'scope_missing' });
  const reader = await world.socket({ id: 1, token: await make(['read']) });
  const frames = [
    { type: 'presence', data: { status: 'away' } },
    { type: 'frames.say', data: { text: 'hi' } },
  ];
  for (const frame of frames) {
    reader.send(frame);
    t.match(await reader.next('error'), { data: { statusCode: 403, code: 'scope_missing' } });
  }
  reader.send({ type: 'subscribe', data: { topics: ['log'] } });
  t.match(await reader.next('error'), { data: { code: 'forbidden' } });
  reader.send({ type: 'subscribe', id: 1, data: { topics: ['frames.news'] } });
  await reader.next('ack');
});

t.test('revoking a token closes only its sockets, with 4003', async (t) => {
  const mia = await world.person('mia');
  const { id, token } = await world.ask<{ id: number; token: string }>('tokens.create', { name: 'one' }, mia.token);
  const [personal, login, ticket] = [
    await world.socket({ id: mia.id, token }),
    await world.socket(mia),
    await connect(t, url, { query: { ticket: await ticketOf(mia.token) } }),
  ];
  const bystander = await world.socket(ann);
  await ticket.next('hello');
  await world.ask('tokens.delete', { id }, mia.token);
  t.same(await personal.end(), { code: 4003, reason: 'revoked' });
  t.equal(login.closed, undefined);
  await world.ask('auth.logout', {}, mia.token);
  t.same(await login.end(), { code: 4003, reason: 'revoked' });
  t.same(await ticket.end(), { code: 4003, reason: 'revoked' }, "a ticket's socket ends with the login that created it");
  t.equal(bystander.closed, undefined);
});

t.test('a changed role, a new password and a deletion close the member’s sockets with 4003', async (t) => {
  const deeds: [string, (id: number) => [string, object]][] = [
    ['role', (id) => ['members.update', { id, role: 'admin' }]],
    ['password', (id) => ['members.reset_password', { id, new_password: 'another secret' }]],
    ['deletion', (id) => ['members.delete', { id }]],
  ];
  for (const [name, deed] of deeds) {
    const who = await world.person(name);
    const client = await world.socket(who);
    const [operation, input] = deed(who.id);
    await world.ask(operation, input);
    t.same(await client.end(), { code: 4003, reason: 'revoked' }, name);
    const again = await connect(t, url, { token: who.token });
    t.same(await again.end(), { code: 4001, reason: 'invalid_token' });
  }
});

t.test('a socket ends when its token expires', async (t) => {
  const expires_at = new Date(clock.now() + 40_000).toISOString();
  const { token } = await world.ask<{ token: string }>('tokens.create', { name: 'short', expires_at }, ann.token);
  const client = await world.socket({ id: ann.id, token });
  clock.forward(40_000);
  t.same(await client.end(), { code: 4003, reason: 'expired' });
});

t.test('no token or ticket is logged', async (t) => {
  const log = JSON.stringify(world.lines);
  t.notMatch(log, ann.token);
  t.notMatch(log, /ticket=[^[]/);
  t.notMatch(log, /plat_/);
});
