import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import {
  type BrowserOptions,
  type BrowserTransport,
  browser,
  type LineState,
  type Live,
  type LiveOptions,
  type SocketFrame,
  type WebSocketClass,
} from '../../../../kernel/client/browser/index.js';
import { movableClock } from '../../../extensions/members/world.js';
import { becomes, until } from '../../../helpers/eventually.js';
import { Link } from '../../../helpers/link.js';
import { startWorld } from '../../platform/http/socket/world.js';

const clock = movableClock();
const world = await startWorld(t, { clock });
const ann = await world.person('ann');

interface Watched {
  transport: BrowserTransport;
  live: Live;
  frames: SocketFrame[];
  states: LineState[];
  /** The `n` of the notes that came. */
  notes: () => unknown[];
}

function open(t: Test, options: Partial<BrowserOptions & LiveOptions> = {}): Watched {
  const frames: SocketFrame[] = [];
  const states: LineState[] = [];
  const { topics, after, limits, ...rest } = options;
  const transport = browser({
    url: world.url,
    token: () => ann.token,
    renew: async () => undefined,
    back_off: { wait_ms: 10, max_wait_ms: 100 },
    parts: { WebSocket: WebSocket as unknown as WebSocketClass },
    ...rest,
  });
  const live = transport.live({ topics, after, limits });
  live.listen((frame) => void frames.push(frame));
  live.watch(() => void states.push(live.state));
  t.teardown(() => transport.close());
  return { transport, live, frames, states, notes: () => frames.filter(({ type }) => type === 'note').map(({ data }) => data.n) };
}

const note = (n: number) => world.push({ members: [ann.id] }, { type: 'note', data: { n } });
const state = ({ live }: Watched) => live.state.state;
const isLive = async (t: Test, watched: Watched) => becomes(t, () => state(watched), 'live');
/** Whether a frame to the topic arrives. */
const hears = (watched: Watched) => async () => {
  const before = watched.frames.length;
  await world.push({ topic: 'frames.news' }, { type: 'frames.told', data: {} });
  await watched.live.send('ping');
  return watched.frames.slice(before).some(({ type }) => type === 'frames.told');
};

async function link(t: Test): Promise<{ link: Link; url: string }> {
  const made = await Link.to(Number(new URL(world.url).port));
  t.teardown(() => made.close());
  return { link: made, url: `http://127.0.0.1:${made.port}` };
}

t.test('frames arrive, and sent ones are acknowledged or rejected', async (t) => {
  const watched = open(t);
  t.same(watched.live.state, { state: 'connecting' });
  await t.rejects(watched.live.send('ping'), { code: 'unreachable' });
  await becomes(t, () => watched.states, [{ state: 'live', resumed: false }]);
  await watched.live.send('frames.say', { text: 'hi' });
  await t.rejects(watched.live.send('frames.say', { text: 7 }), { code: 'invalid_input', status: 400, details: [{ path: 'text' }] });
  await t.rejects(watched.live.send('no.such'), { code: 'unknown_frame' });
  await note(1);
  await becomes(t, watched.notes, [1]);
  const { cursor } = watched.live;
  watched.live.close();
  t.same(watched.live.state, { state: 'ended', reason: 'closed' });
  await note(2);
  const next = open(t, { after: cursor });
  await becomes(t, next.notes, [2]);
  t.same(next.states, [{ state: 'live', resumed: true }]);
});

t.test('the token is never in an address', async (t) => {
  const addresses: string[] = [];
  class Recording extends WebSocket {
    constructor(address: string) {
      addresses.push(address);
      super(address);
    }
  }
  await isLive(t, open(t, { parts: { WebSocket: Recording as unknown as WebSocketClass } }));
  t.same(addresses, [`${world.url.replace('http', 'ws')}/ws`]);
});

t.test('a line that breaks resumes without loss or doubles', async (t) => {
  const { link: way, url } = await link(t);
  const watched = open(t, { url });
  await isLive(t, watched);
  for (let n = 1; n <= 40; n += 1) {
    await note(n);
    if (n === 22) way.heal();
    if (n % 8 !== 0) continue;
    await isLive(t, watched);
    way.set({ kind: 'cut' });
    if (n !== 16) way.heal();
  }
  await becomes(
    t,
    watched.notes,
    Array.from({ length: 40 }, (_, at) => at + 1),
  );
  const lives = watched.states.filter((each) => each.state === 'live');
  t.same(
    lives.map(({ resumed }) => resumed),
    [false, ...Array(lives.length - 1).fill(true)],
  );
  t.ok(lives.length >= 4);
});

t.test('a break is not shown at once, a failed attempt is, and a retry ends its wait', async (t) => {
  const { link: way, url } = await link(t);
  const watched = open(t, { url, back_off: { wait_ms: 40, max_wait_ms: 600_000 } });
  await isLive(t, watched);
  watched.states.length = 0;
  way.set({ kind: 'cut' });
  await becomes(t, () => state(watched), 'offline');
  t.same(watched.states[0], { state: 'connecting' });
  const { reason, retry_at } = watched.live.state as LineState & { state: 'offline' };
  t.match(reason, /^closed with 1006$/);
  t.type(retry_at, 'number');
  way.heal();
  const retries = setInterval(() => watched.live.retry(), 10);
  t.teardown(() => clearInterval(retries));
  await isLive(t, watched);
});

t.test('heartbeats find a line that is dead', async (t) => {
  const { link: way, url } = await link(t);
  const watched = open(t, { url, limits: { silence_ms: 200, answer_ms: 200 } });
  await isLive(t, watched);
  await until(
    () => watched.frames.filter(({ type }) => type === 'pong').length,
    (pongs) => pongs >= 2,
  );
  t.same(watched.states, [{ state: 'live', resumed: false }], 'a line that answers stays');
  way.strand();
  await note(1);
  await becomes(t, watched.notes, [1]);
  t.same(watched.states.at(-1), { state: 'live', resumed: true });
});

t.test('a hint makes a line be checked at once', async (t) => {
  const { link: way, url } = await link(t);
  const watched = open(t, { url, limits: { hurried_ms: 200 } });
  await isLive(t, watched);
  watched.transport.hint('online');
  await until(
    () => watched.frames,
    (frames) => frames.some(({ type }) => type === 'pong'),
  );
  way.strand();
  await note(1);
  watched.transport.hint('visible');
  await becomes(t, watched.notes, [1]);
});

t.test('a server that does not welcome the client is left', async (t) => {
  const { link: way, url } = await link(t);
  way.set({ kind: 'stalled' });
  const watched = open(t, { url, limits: { connect_ms: 50 } });
  await until(
    () => watched.live.state,
    (found) => found.state === 'offline' && found.reason === 'no answer',
  );
  way.heal();
  await isLive(t, watched);
});

t.test('an expired token is renewed, and nothing is missed', async (t) => {
  const expires_at = new Date(clock.now() + 40_000).toISOString();
  const { token: short } = await world.ask<{ token: string }>('tokens.create', { name: 'short', expires_at }, ann.token);
  let token = short;
  let renewals = 0;
  const renew = async () => {
    renewals += 1;
    token = ann.token;
    await note(2);
    return token;
  };
  const watched = open(t, { token: () => token, renew });
  await isLive(t, watched);
  await note(1);
  await becomes(t, watched.notes, [1]);
  clock.forward(40_000);
  await becomes(t, watched.notes, [1, 2]);
  t.equal(renewals, 1);
  t.same(watched.states, [{ state: 'live', resumed: false }, { state: 'connecting' }, { state: 'live', resumed: true }]);
});

t.test('a connection ends if the member has to log in again', async (t) => {
  const nobody = open(t, { token: () => undefined });
  await becomes(t, () => nobody.live.state, { state: 'ended', reason: 'unauthenticated' });
  const wrong = open(t, { token: () => 'wrong', renew: async () => 'wrong too' });
  await becomes(t, () => wrong.live.state, { state: 'ended', reason: 'invalid_token' });
  const eve = await world.person('eve');
  const watched = open(t, { token: () => eve.token });
  await isLive(t, watched);
  await world.ask('members.delete', { id: eve.id });
  await becomes(t, () => watched.live.state, { state: 'ended', reason: 'revoked' });
});

t.test('a connection goes on with the token that a change of the password brings', async (t) => {
  const joe = await world.person('joe');
  let { token } = joe;
  const watched = open(t, { token: () => token });
  await isLive(t, watched);
  const change = { current_password: 'secret-joe', new_password: 'another secret' };
  const answer = world.ask<{ access_token: string }>('auth.password', change, token);
  await becomes(t, () => state(watched), 'connecting');
  token = (await answer).access_token;
  await becomes(t, () => watched.states, [{ state: 'live', resumed: false }, { state: 'connecting' }, { state: 'live', resumed: true }]);
});

t.test('a renewal that fails is tried again', async (t) => {
  let attempts = 0;
  const renew = async () => {
    attempts += 1;
    if (attempts < 3) throw new Error('no network');
    return ann.token;
  };
  const watched = open(t, { token: () => undefined, renew });
  await isLive(t, watched);
  t.match(watched.states, [{ state: 'offline', reason: 'no network' }, { state: 'offline' }, { state: 'live' }]);
});

t.test('a topic is subscribed to as long as somebody wants it, also after a break', async (t) => {
  const { link: way, url } = await link(t);
  const watched = open(t, { url });
  const [first, second] = [watched.live.want('frames.news'), watched.live.want('frames.news')];
  await isLive(t, watched);
  await becomes(t, hears(watched), true);
  first();
  first();
  await becomes(t, hears(watched), true);
  way.set({ kind: 'cut' });
  way.heal();
  await until(
    () => watched.states.filter((each) => each.state === 'live').length,
    (count) => count === 2,
  );
  await becomes(t, hears(watched), true);
  second();
  await becomes(t, hears(watched), false);
});

t.test('a closed transport closes its connections, and a connection can be closed while it begins', async (t) => {
  const watched = open(t);
  await isLive(t, watched);
  await watched.transport.close();
  t.same(watched.live.state, { state: 'ended', reason: 'closed' });
  const early = open(t);
  early.live.close();
  early.live.close();
  await early.transport.close();
  t.same(early.states, [{ state: 'ended', reason: 'closed' }]);
});
