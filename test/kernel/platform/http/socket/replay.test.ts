import t, { type Test } from 'tap';
import { eachPlatform } from '../../../../helpers/cluster.js';
import { type Client, connect } from './client.js';
import { extensions, type World, worldOf } from './world.js';

const numbers = (frames: { type: string; data: { n?: unknown } }[]) =>
  frames.filter(({ type }) => type === 'note').map(({ data }) => data.n);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1);
const lastCursor = ({ frames }: Client) => frames.findLast(({ cursor }) => cursor !== undefined)?.cursor as string;

/** Tests of one world, given a second one that shares its journal where there can be one. */
const eachWorld = (tests: (t: Test, world: World, other: World) => Promise<void>) =>
  eachPlatform(t, { extensions }, async (t, platform, again) => {
    const world = await worldOf(t, platform);
    const other = platform.database_url.startsWith('postgres') ? await worldOf(t, await again()) : world;
    await tests(t, world, other);
  });

await eachWorld(async (t, world, other) => {
  const ann = await world.person('ann');
  const bob = await world.person('bob');

  await t.test('a client that reconnects at any instance gets every frame once', async (t) => {
    const total = 300;
    const pushing = (async () => {
      for (let n = 1; n <= total; n += 1) {
        await world.push({ members: [ann.id, bob.id] }, { type: 'note', data: { n } });
        if (n % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 15));
      }
    })();
    const seen: unknown[] = [];
    let after = '';
    for (let round = 0; !seen.includes(total); round += 1) {
      const client = await connect(t, (round % 2 ? other : world).url, { token: ann.token, query: after ? { after } : {} });
      const hello = await client.next('hello');
      t.equal(hello.data.resumed, after !== '', `round ${round}`);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40));
      // Not closed in good order: cut.
      client.ws.terminate();
      await client.end();
      seen.push(...numbers(client.frames));
      after = lastCursor(client);
      t.same(client.of('resync'), []);
    }
    await pushing;
    const first = Number(seen[0]);
    t.same(seen, upTo(total).slice(first - 1));
  });

  await t.test('an invalid cursor gets resync and then new frames', async (t) => {
    const own = await world.socket(ann);
    const foreign = lastCursor(await world.socket(bob)) ?? (await connect(t, world.url, { token: bob.token })).frames[0]?.cursor;
    await own.close();
    const cursor = await headOf(t, world, bob.token);
    for (const after of [String(foreign), cursor, 'nonsense', '', 'member:1.x', `member:${ann.id}.000000000000.1`, `${'x'.repeat(500)}`]) {
      const client = await connect(t, world.url, { token: ann.token, query: { after } });
      t.match(await client.next('hello'), { data: { resumed: false } });
      t.match(await client.next('resync'), { data: { reason: 'not_kept' }, cursor: String }, after.slice(0, 40));
      await world.push({ members: [ann.id] }, { type: 'note', data: { n: 'after' } });
      await client.next('note');
      t.same(numbers(client.frames), ['after'], 'no earlier frame is sent');
      await client.close();
    }
  });

  await t.test('a cursor too old gets resync', async (t) => {
    const after = await headOf(t, world, ann.token);
    const reader = await world.socket(ann);
    for (let n = 0; n < 21; n += 1) {
      await world.push({ members: [ann.id] }, { type: 'note', data: {} }, { times: 100 });
      await world.push({ members: [ann.id] }, { type: 'end', data: {} });
      // Kept by now: what waits to be kept has a bound of its own, and would be dropped for it.
      await reader.next('end');
    }
    await reader.close();
    const client = await connect(t, world.url, { token: ann.token, query: { after } });
    t.match(await client.next('hello'), { data: { resumed: false } });
    await client.next('resync');
  });

  await t.test('2,000 frames are replayed to a client that reads them', async (t) => {
    const after = await headOf(t, world, bob.token);
    await world.push({ members: [bob.id] }, { type: 'note', data: {} }, { times: 1_900 });
    const client = await connect(t, world.url, { token: bob.token, query: { after } });
    await world.push({ members: [bob.id] }, { type: 'end', data: {} });
    await client.next('end');
    t.same(numbers(client.frames), upTo(1_900));
  });

  await t.test('clients are told to resync after a burst above the limit', async (t) => {
    const client = await world.socket(ann);
    await world.push({ members: [ann.id] }, { type: 'note', data: {} }, { times: 2_500 });
    await world.push({ members: [ann.id] }, { type: 'end', data: {} });
    await client.next('end');
    t.match(client.of('resync').at(-1), { data: { reason: /^(frames_lost|not_kept)$/ } });
  });

  await t.test('a frame too large to store arrives as resync', async (t) => {
    const client = await world.socket(ann);
    await world.push({ members: [ann.id] }, { type: 'note', data: { text: 'é'.repeat(31_000) } });
    t.match(await client.next('resync'), { data: { reason: 'frame_too_large' }, cursor: String });
    await world.push({ members: [ann.id] }, { type: 'note', data: { text: 'é'.repeat(30_000), n: 1 } });
    t.match(await client.next('note'), { data: { n: 1 } });
  });

  await t.test('frames that are not stored are not replayed', async (t) => {
    const after = await headOf(t, world, ann.token);
    await world.push({ members: [ann.id] }, { type: 'note', data: { n: 'lost' } }, { keep: false });
    await world.push({ members: [ann.id] }, { type: 'note', data: { n: 'kept' } });
    const client = await connect(t, world.url, { token: ann.token, query: { after } });
    await client.next('note');
    t.same(numbers(client.frames), ['kept']);
  });
});

async function headOf(t: Test, { url }: World, token: string): Promise<string> {
  const client = await connect(t, url, { token });
  const { cursor } = await client.next('hello');
  await client.close();
  return cursor as string;
}
