import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import t from 'tap';
import { becomes } from '../../../helpers/eventually.js';
import { hello, member } from './deeds.js';
import { Reader } from './reader.js';
import { delta, following, Source, streamWorld } from './source.js';
import { startWorld } from './world.js';

t.test('disconnecting a member ends its streams at once, or only those of one token', async (t) => {
  const { url, http, source } = await streamWorld(t);
  const streams = {
    mia: await Reader.open(`${url}/api/live`, member),
    miaByTicket: await Reader.open(`${url}/api/live?ticket=ticket`),
    ada: await Reader.open(`${url}/api/live`, { authorization: 'Bearer admin' }),
  };
  const ended = () => Object.entries(streams).flatMap(([name, { ended }]) => (ended === undefined ? [] : [name]));
  http.disconnect({ member_id: 7, token_id: 'ticket' });
  await becomes(t, ended, ['miaByTicket']);
  t.same(streams.miaByTicket.events, [{ event: 'revoked', data: { type: 'revoked', reason: 'revoked' } }]);
  http.disconnect({ member_id: 7 });
  await becomes(t, ended, ['mia', 'miaByTicket']);
  http.disconnect({ member_id: 99 });
  source.push(delta(1));
  await becomes(t, () => streams.ada.events.length, 1);
  t.same(ended(), ['mia', 'miaByTicket']);
});

t.test('a member disconnected while a stream opens gets no stream', async (t) => {
  const { url, http, serve } = await streamWorld(t);
  const source = new Source();
  let asked = 0;
  await serve('live', ['/api/live'], {
    'live.follow': {
      ...following('/api/live', source),
      does: async (_input, { signal }) => {
        asked++;
        await once(signal, 'abort');
        return source.read(signal);
      },
    },
  });
  const opening = Reader.open(`${url}/api/live`, member);
  await becomes(t, () => asked, 1);
  http.disconnect({ member_id: 7 });
  const reader = await opening;
  await reader.finished;
  t.same(reader.events, [{ event: 'revoked', data: { type: 'revoked', reason: 'revoked' } }]);
});

t.test('one member cannot use all streams', async (t) => {
  const { url } = await streamWorld(t, { per_caller: 2 });
  for (let n = 0; n < 2; n += 1) await Reader.open(`${url}/api/live`, member);
  const third = await fetch(`${url}/api/live`, { headers: member });
  t.match([third.status, await third.json()], [429, { code: 'rate_limited', message: /You have 2 streams open/ }]);
  const other = await Reader.open(`${url}/api/live`, { authorization: 'Bearer admin' });
  t.equal(other.ended, undefined);
});

t.test('a stream ends with the token that opened it', async (t) => {
  const { url, source } = await streamWorld(t, { tick_ms: 20 });
  const reader = await Reader.open(`${url}/api/live`, { authorization: 'Bearer short' });
  const started = Date.now();
  await reader.finished;
  t.ok(Date.now() - started < 20_000);
  t.same(reader.events, [{ event: 'revoked', data: { type: 'revoked', reason: 'expired' } }]);
  t.equal(source.returned, 1);
});

t.test("a replacement keeps its extension's streams and frees the old cell, and a removal ends them", async (t) => {
  const { url, http, serve, remove, source } = await streamWorld(t);
  const reader = await Reader.open(`${url}/api/live`, member);
  const other = new Source();
  await serve('other', ['/api/other'], { ...hello, 'other.follow': following('/api/other', other) });
  const stranger = await Reader.open(`${url}/api/other`, member);
  const build = http.buildCell.bind(http);
  const built: WeakRef<object>[] = [];
  http.buildCell = async (content) => {
    const cell = await build(content);
    built.push(new WeakRef(cell));
    return cell;
  };
  for (let turn = 0; turn < 3; turn++) {
    const next = new Source();
    await serve('live', ['/api/live'], { 'live.follow': following('/api/live', next) });
    const late = await Reader.open(`${url}/api/live`, member);
    t.teardown(() => late.leave());
  }
  source.push(delta(1));
  await becomes(t, () => reader.events.length, 1);
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const alive = () => {
    collect();
    return built.map((cell) => cell.deref() !== undefined);
  };
  await becomes(t, alive, [false, false, true]);

  remove('live');
  http.stopStreams('live');
  await reader.finished;
  t.same(reader.events.at(-1), { event: 'closed', data: { type: 'closed', reason: 'unloaded' } });
  other.push(delta(2));
  await becomes(t, () => stranger.events.length, 1);
});

t.test('closing the server ends the streams well before the deadline and asks clients to reconnect', async (t) => {
  const made = await startWorld();
  const source = new Source();
  await made.serve('live', ['/api/live'], { 'live.follow': following('/api/live', source) });
  const readers = await Promise.all(Array.from({ length: 20 }, () => Reader.open(`${made.url}/api/live`, member)));
  const started = Date.now();
  await made.http.close(60_000);
  t.ok(Date.now() - started < 20_000);
  await Promise.all(readers.map(({ finished }) => finished));
  t.same([...new Set(readers.map(({ ended, retries }) => `${ended} ${retries.join()}`))], ['end 3000,1000']);
  t.equal(source.returned, 20);
});
