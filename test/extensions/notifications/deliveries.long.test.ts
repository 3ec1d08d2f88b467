import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { until } from '../../helpers/eventually.js';
import { administrator, all, fly, notify, onEach, type Person, pending, pigeon, reaches, refused, someone } from './world.js';

const chosen = { enabled: true, settings: { address: 'roof', ring: 'gold' } };

const choose = ({ http }: Person, change: object = {}) => http.set_preferences({ channels: { pigeon: { ...chosen, ...change } } });

t.test('an accepted delivery is sent, with the note and the settings', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    await choose(ada, { sources: ['schedule'] });
    const flown = fly();
    const [quiet] = (await notify(platform, { to: [ada.id], source: 'system' })) as [number];
    const [id] = (await notify(platform, {
      to: [ada.id],
      source: 'schedule',
      title: 'Run',
      summary: 'failed',
      link: 'https://a.example/1',
    })) as [number];
    const sent = await reaches(ada.http, id, ({ status }) => status === 'sent');
    t.match(sent, { im_channel: 'pigeon', error: null, deliveries: [{ channel: 'pigeon', status: 'accepted', error: null, attempts: 1 }] });
    const { created_at } = sent;
    t.match(flown[0]?.note, {
      id,
      source: 'schedule',
      title: 'Run',
      summary: 'failed',
      created_at: `${created_at}Z`,
      url: 'https://a.example/1',
    });
    t.same(flown[0]?.settings, chosen.settings);
    t.match(await ada.http.get({ id: quiet }), { status: 'pending', deliveries: [] }, 'notifications of other sources are not delivered');
    t.equal(flown.length, 1);

    await notify(platform, { to: [ada.id], source: 'schedule', title: 'Run', summary: 'failed' });
    t.match(await ada.http.get({ id }), { count: 2 });
    const [path] = (await notify(platform, { to: [ada.id], source: 'schedule', link: '/runs/1' })) as [number];
    await reaches(ada.http, path, ({ status }) => status === 'sent');
    t.match(
      flown.slice(1),
      [{ note: { id: path, url: null } }],
      'a repetition is not sent again; a path without a public address is omitted',
    );
  });
});

t.test('a path leads to the public address of the platform', async (t) => {
  const work: Parameters<typeof onEach>[1] = async (t, platform) => {
    const ada = await someone(t, platform);
    await choose(ada);
    const flown = fly();
    const links = { '/nodes/1?tab=log#end': 'https://work.example/team/nodes/1?tab=log#end', 'https://a.example/1': 'https://a.example/1' };
    for (const [link, url] of Object.entries(links)) {
      const [id] = (await notify(platform, { to: [ada.id], link })) as [number];
      t.match(await reaches(ada.http, id, ({ status }) => status === 'sent'), { link }, 'the notification itself keeps its link');
      t.match(flown.at(-1), { note: { id, url, link } });
    }
  };
  await onEach(t, work, { settings: { base_url: 'https://work.example/team/' } });
});

t.test('a notification records the first channel that reached its member, whatever comes later', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    await choose(ada);
    let land = () => {};
    const flying = new Promise<void>((resolve) => {
      land = resolve;
    });
    fly(() => flying);
    const [id] = (await notify(platform, { to: [ada.id] })) as [number];
    await ada.http.list(all);
    await reaches(ada.http, id, ({ status }) => status === 'sent');
    await ada.http.read({ all: true });
    land();
    const read = await reaches(ada.http, id, ({ deliveries }) => deliveries[0]?.status === 'accepted');
    t.match(read, { status: 'read', im_channel: 'web' });
  });
});

t.test('a permanent rejection is shown at once, and a temporary one is retried', async (t) => {
  await onEach(t, async (t, platform) => {
    const [ada, bob, eve] = [await someone(t, platform), await someone(t, platform), await someone(t, platform)];
    for (const who of [ada, bob, eve]) await choose(who);
    const why = new Map<string, () => Error>([
      ['never', () => refused('The address is gone', { retry: false })],
      ['later', () => refused('Too many', { retry_after_ms: 60_000 })],
      ['odd', () => new TypeError('a secret detail')],
    ]);
    fly(({ note }) => {
      throw why.get(note.title)?.();
    });
    const of = async (who: Person, title: string) => (await notify(platform, { to: [who.id], title }))[0] as number;
    const [never, later, odd] = [await of(ada, 'never'), await of(bob, 'later'), await of(eve, 'odd')];
    t.match(await reaches(ada.http, never, ({ error }) => error !== null), {
      status: 'pending',
      im_channel: '',
      error: 'pigeon: The address is gone',
      deliveries: [{ status: 'failed', error: 'The address is gone', attempts: 1 }],
    });
    t.match(await pending(ada.http), [{ id: never, error: 'pigeon: The address is gone' }]);
    t.match(await reaches(bob.http, later, ({ error }) => error !== null), {
      deliveries: [{ status: 'waiting', error: 'Too many', attempts: 1 }],
    });
    const strange = await reaches(eve.http, odd, ({ error }) => error !== null);
    t.match(strange, { deliveries: [{ status: 'waiting', error: 'A pigeon failed unexpectedly; see the server log' }] });
    t.notOk(JSON.stringify(platform.lines).includes('a secret detail'), 'an error of a channel may contain anything, so it is not shown');
  });
});

t.test('a disabled or removed channel is reported', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    await choose(ada);
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    // Four are under way, so that the fifth waits.
    const flown = fly(() => held);
    const ids: number[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(...(await notify(platform, { to: [ada.id] })));
    await until(
      () => flown.length,
      (count) => count === 4,
    );
    await choose(ada, { enabled: false });
    open();
    const fifth = await reaches(ada.http, ids[4] as number, ({ error }) => error !== null);
    t.match(fifth, { error: "pigeon: The channel 'pigeon' was disabled", deliveries: [{ status: 'failed', attempts: 1 }] });
    t.equal(flown.length, 4);

    await choose(ada);
    await platform.kernel.installer.disable('pigeon');
    const shown = (await ada.http.preferences({})).channels;
    t.notOk('pigeon' in shown);
    await ada.http.send({ title: 'Alone', summary: '' });
    const [latest] = await pending(ada.http);
    const left = await reaches(ada.http, latest?.id as number, ({ error }) => error !== null);
    t.match(left, { deliveries: [{ status: 'waiting', error: /not available/ }] }, 'the removed channel may be registered again');
    await platform.kernel.installer.enable('pigeon');
    t.match((await ada.http.preferences({})).channels, { pigeon: { enabled: true, secrets: { ring: true } } }, 'the preferences are kept');
  });
});

t.test('at most twenty deliveries run at once, four for each member, so a hanging channel delays nobody else', async (t) => {
  await onEach(t, async (t, platform) => {
    const people: Person[] = [];
    for (let n = 0; n < 7; n += 1) people.push(await someone(t, platform));
    for (const who of people) await choose(who);
    const [slow, ...others] = people as [Person, ...Person[]];
    let open = () => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    let [now, max] = [0, 0];
    const flown = fly(async () => {
      now += 1;
      max = Math.max(max, now);
      await held;
      now -= 1;
    });
    for (let n = 0; n < 10; n += 1) await notify(platform, { to: [slow.id] });
    await until(
      () => flown.length,
      (count) => count === 4,
    );
    for (let n = 0; n < 5; n += 1) await notify(platform, { to: others.map(({ id }) => id) });
    await until(
      () => flown.length,
      (count) => count === 20,
    );
    await sleep(300);
    t.same([flown.length, max], [20, 20]);
    open();
    await until(
      () => flown.length,
      (count) => count === 40,
    );
    await until(
      () => now,
      (count) => count === 0,
    );
    t.equal(new Set(flown.map(({ note }) => note.id)).size, 40, 'each notification is delivered once');
  });
});

t.test('a delivery interrupted by the end of the process is made by the next', async (t) => {
  await onEach(t, async (t, platform, again) => {
    const ada = await someone(t, platform);
    await choose(ada);
    const flown = fly(({ signal }) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))));
    const [id] = (await notify(platform, { to: [ada.id] })) as [number];
    await until(
      () => flown.length,
      (count) => count === 1,
    );
    await platform.kernel.close();
    const later = fly();
    const next = await again();
    await until(
      () => later.length,
      (count) => count === 1,
    );
    t.equal(later[0]?.note.id, id);
    const admin = administrator(next);
    t.ok((await admin.members.get({ id: ada.id })).id);
    const caller = { ...(await next.kernel.tokenCaller(ada.token, 'direct')) };
    const get = async () =>
      (await next.kernel.invoke('notifications.get', { id }, caller)).body as { status: string; deliveries: object[] };
    t.match(await until(get, ({ status }) => status === 'sent'), {
      im_channel: 'pigeon',
      deliveries: [{ status: 'accepted', attempts: 1 }],
    });
  });
});

t.test('old deliveries are removed', async (t) => {
  let shift_ms = 0;
  const clock = { now: () => Date.now() + shift_ms };
  await onEach(
    t,
    async (t, platform) => {
      shift_ms = 0;
      const ada = await someone(t, platform);
      const [read, unread] = [(await notify(platform, { to: [ada.id] }))[0] as number, (await notify(platform, { to: [ada.id] }))[0]];
      await ada.direct.read({ notification_ids: [read] });
      const caller = await platform.kernel.tokenCaller(ada.token, 'direct');
      const list = async () => {
        const { body } = await platform.kernel.invoke('notifications.list', { status: 'all' }, caller);
        return (body as { notifications: { id: number }[] }).notifications.map(({ id }) => id);
      };
      const days = 24 * 3_600_000;
      shift_ms = 89 * days;
      t.match(await pigeon(platform).clean({}), { name: 'inbox', removed: 0 });
      shift_ms = 91 * days;
      t.match(await pigeon(platform).clean({}), { removed: 1 });
      t.same(await list(), [unread]);
      shift_ms = 366 * days;
      t.match(await pigeon(platform).clean({}), { removed: 1 });
      t.same(await list(), []);
    },
    { clock },
  );
});
