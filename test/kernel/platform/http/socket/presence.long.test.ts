import t from 'tap';
import { movableClock } from '../../../../extensions/members/world.js';
import { eachPlatform } from '../../../../helpers/cluster.js';
import { becomes, until } from '../../../../helpers/eventually.js';
import type { Client, Received } from './client.js';
import { extensions, worldOf } from './world.js';

type Shown = { member_id: number; status: string; last_seen_at: string | null };

/** Returns the last presence of a member that a client received. */
const told = (client: Client, id: number) => client.of('presence').findLast(({ data }) => data.member_id === id)?.data as Shown | undefined;
const clock = movableClock();

await eachPlatform(t, { extensions, clock }, async (t, platform, again) => {
  const world = await worldOf(t, platform);
  const [ann, bob, eve] = [await world.person('ann'), await world.person('bob'), await world.person('eve')];
  const ofAnn = async () => (await world.ask<Shown[]>('frames.presence', { member_ids: [ann.id] }))[0];
  const watcher = await world.socket(bob);

  await t.test('members who never connected are offline', async (t) => {
    t.same(await world.ask('frames.presence', { member_ids: [ann.id, 999_999] }), [
      { member_id: ann.id, status: 'offline', last_seen_at: null },
      { member_id: 999_999, status: 'offline', last_seen_at: null },
    ]);
  });

  await t.test('a connecting member is online for all and receives the present members', async (t) => {
    const client = await world.socket(ann);
    await becomes(t, () => told(watcher, ann.id)?.status, 'online');
    await becomes(t, () => [told(client, bob.id)?.status, told(client, ann.id)?.status], ['online', 'online']);
    t.match(told(client, bob.id), { member_id: bob.id, status: 'online', last_seen_at: /^\d{4}-.*Z$/ });
    t.equal(told(client, eve.id), undefined);
    await client.close();
  });

  await t.test('with several devices do-not-disturb wins over online, and online over away', async (t) => {
    const [one, two] = [await world.socket(ann), await world.socket(ann)];
    const steps: [Client, string, string][] = [
      [one, 'away', 'online'],
      [two, 'away', 'away'],
      [two, 'dnd', 'dnd'],
      [one, 'online', 'dnd'],
      [two, 'away', 'online'],
    ];
    for (const [client, status, shown] of steps) {
      client.send({ type: 'presence', id: status, data: { status } });
      await client.next('ack');
      t.match(await ofAnn(), { status: shown }, `${status} → ${shown}`);
      await becomes(t, () => told(watcher, ann.id)?.status, shown);
    }
    two.send({ type: 'presence', data: { status: 'dnd' } });
    await becomes(t, () => told(watcher, ann.id)?.status, 'dnd');
    await two.close();
    await becomes(t, () => told(watcher, ann.id)?.status, 'online');
    await one.close();
  });

  await t.test('a member is offline 30 s after its last socket closes', async (t) => {
    const client = await world.socket(ann);
    await becomes(t, () => told(watcher, ann.id)?.status, 'online');
    const left = clock.now();
    await client.close();
    clock.forward(20_000);
    const back = await world.socket(ann);
    clock.forward(20_000);
    await settled();
    t.match(await ofAnn(), { status: 'online' }, 'a member who returns in time was never offline');
    const gone = clock.now();
    await back.close();
    clock.forward(29_000);
    t.match(await ofAnn(), { status: 'online' });
    clock.forward(2_000);
    watcher.ws.pong();
    await becomes(t, () => told(watcher, ann.id)?.status, 'offline');
    const shown = told(watcher, ann.id) as Shown;
    t.ok(
      Date.parse(String(shown.last_seen_at)) >= gone && Date.parse(String(shown.last_seen_at)) < gone + 5_000,
      'the last-seen time is that of leaving',
    );
    t.ok(gone > left);
    t.same(await ofAnn(), shown);
  });

  await t.test('members without sockets have the status of their provider', async (t) => {
    await world.ask('frames.virtual', { member_id: eve.id, status: 'online' });
    await becomes(t, () => told(watcher, eve.id)?.status, 'online');
    const later = await world.socket(ann);
    await becomes(t, () => told(later, eve.id)?.status, 'online');
    await world.ask('frames.virtual', { member_id: eve.id, status: 'dnd' });
    await becomes(t, () => told(watcher, eve.id)?.status, 'dnd');
    await world.ask('frames.virtual', { member_id: eve.id, status: 'offline' });
    await becomes(t, () => told(watcher, eve.id)?.status, 'offline');
    await later.close();
  });

  await t.test('a later client still receives the other present members', async (t) => {
    const client = await world.socket(ann);
    await becomes(t, () => told(watcher, ann.id)?.status, 'online');
    await (await world.socket(bob)).close();
    clock.forward(5_000);
    const now = new Date(clock.now()).toISOString();
    const later = await world.socket(bob);
    const { data, ts } = await until(
      () => later.of('presence').find((frame) => frame.data.member_id === ann.id) as Received,
      (found) => found !== undefined,
    );
    t.ok(String(data.last_seen_at) >= now && String(ts) >= now, `after ${now}: ${String(data.last_seen_at)} at ${ts}`);
    await Promise.all([client.close(), later.close()]);
  });

  await t.test('all data of a deleted member is deleted, even if its sockets end later', async (t) => {
    const rows = async () => (await ofDan())?.last_seen_at;
    const dan = await world.person('dan');
    const ofDan = async () => (await world.ask<Shown[]>('frames.presence', { member_ids: [dan.id] }))[0];
    const client = await world.socket(dan);
    clock.forward(61_000);
    watcher.ws.pong();
    client.ws.pong();
    await settled();
    await world.ask('members.delete', { id: dan.id });
    t.same(await client.end(), { code: 4003, reason: 'revoked' });
    clock.forward(31_000);
    watcher.ws.pong();
    await becomes(t, async () => (await ofDan())?.status, 'offline');
    await settled();
    await becomes(t, rows, null);
    await settled();
    t.equal(await rows(), null);
  });

  await t.test('last-seen times survive a restart', async (t) => {
    const client = await world.socket(ann);
    await until(
      () => told(client, ann.id),
      (found) => found !== undefined,
    );
    const at = clock.now();
    await world.kernel.close();
    t.match(await client.end(), { code: 1001, reason: 'shutting down' });
    const next = await worldOf(t, await again());
    const [seen] = await next.ask<Shown[]>('frames.presence', { member_ids: [ann.id] });
    t.equal(seen?.status, 'offline');
    t.ok(Date.parse(String(seen?.last_seen_at)) >= at - 1_000);
  });
});

/** So long the kernel needs to look at the clock. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1_200));
}
