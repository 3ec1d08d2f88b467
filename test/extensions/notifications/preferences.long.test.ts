import t from 'tap';
import type { TestPlatform } from '../../helpers/platform.js';
import { failureOf } from '../chat/world.js';
import { fly, notify, onEach, reaches, refused, socket, someone } from './world.js';

const secret = 'ring-of-gold-4711';
const usual = { enabled: false, sources: ['schedule', 'ai_message', 'system'], kinds: null, settings: {}, secrets: { ring: false } };

/** Nothing that was answered or logged may hold the secret. */
function keptQuiet(platform: TestPlatform, ...answers: unknown[]): boolean {
  return !JSON.stringify([answers, platform.lines]).includes(secret);
}

async function faultsOf(work: Promise<unknown>): Promise<unknown> {
  const fault = await work.then(
    () => undefined,
    (thrown: { details?: { path: string }[] }) => thrown,
  );
  return fault?.details?.map(({ path }) => path);
}

t.test('only the web channel is enabled by default, and channels are configured one by one', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const channels = await ada.http.channels({});
    t.match(channels.find(({ name }) => name === 'pigeon')?.fields, [
      { name: 'address', label: 'Address', secret: false, required: true, description: 'Where it flies' },
      { name: 'ring', secret: true, required: false },
    ]);
    const shown = (await ada.http.preferences({})).channels;
    t.same(Object.keys(shown).sort(), channels.map(({ name }) => name).sort());
    t.match(shown, { web: { enabled: true, sources: usual.sources, settings: {}, secrets: {} }, pigeon: usual });
    t.same(
      Object.entries(shown)
        .filter(([, { enabled }]) => enabled)
        .map(([name]) => name),
      ['web'],
    );

    const chosen = { enabled: true, sources: ['system' as const], settings: { address: 'roof 7' } };
    const set = await ada.http.set_preferences({ channels: { pigeon: chosen } });
    t.match(set.channels, { web: { enabled: true }, pigeon: { ...chosen, secrets: { ring: false } } });
    await ada.http.set_preferences({ channels: { web: { enabled: false } } });
    t.match((await ada.direct.preferences({})).channels, { web: { enabled: false }, pigeon: chosen }, 'other channels stay unchanged');
    await ada.http.set_preferences({ channels: { pigeon: { enabled: false } } });
    t.match((await ada.http.preferences({})).channels, { pigeon: { ...chosen, enabled: false } }, 'omitted settings stay');
    const other = await someone(t, platform);
    t.match(
      (await other.http.preferences({})).channels,
      { web: { enabled: true }, pigeon: usual },
      "another member's preferences are separate",
    );
  });
});

t.test('all faults of a change are reported at once, and nothing is changed', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const set = (channels: Parameters<typeof ada.http.set_preferences>[0]['channels']) => ada.http.set_preferences({ channels });
    t.same(await faultsOf(set({ pigeon: { settings: { address: 'cellar', wing: 'x' } }, raven: {}, web: { settings: { a: 'b' } } })), [
      'channels.pigeon.settings.address',
      'channels.pigeon.settings.wing',
      'channels.raven',
      'channels.web.settings.a',
    ]);
    t.same(await faultsOf(set({ pigeon: { enabled: true } })), ['channels.pigeon.settings.address'], 'a missing required setting');
    t.same(await faultsOf(set({ pigeon: { enabled: true, settings: { address: '' } } })), ['channels.pigeon.settings.address']);
    const wrong = { pigeon: { enabled: true, settings: { address: 'cellar' } } };
    t.same(await faultsOf(set(wrong)), ['channels.pigeon.settings.address'], 'an invalid setting, reported once');
    for (const name of ['constructor', 'toString']) {
      const channels = JSON.parse(`{"${name}":{"enabled":true}}`);
      t.match(await failureOf(set(channels)), { code: 'invalid_input' }, name);
    }
    for (const name of ['constructor', 'toString']) {
      t.same(await faultsOf(set({ pigeon: { enabled: true, settings: { [name]: 'x', address: 'roof' } } })), [
        `channels.pigeon.settings.${name}`,
      ]);
    }
    t.match((await ada.http.preferences({})).channels, { pigeon: usual });
  });
});

t.test('secrets can be set and used but are never returned', async (t) => {
  await onEach(t, async (t, platform, again) => {
    const ada = await someone(t, platform);
    const set = (settings: Record<string, string>) => ada.http.set_preferences({ channels: { pigeon: { enabled: true, settings } } });
    const flown = fly(({ settings }) => {
      if (settings.ring) throw refused(`The sky refuses the ring ${settings.ring} for good`, { retry: false });
    });
    const answers: unknown[] = [await set({ address: 'roof', ring: secret })];
    t.match(answers[0], { channels: { pigeon: { settings: { address: 'roof' }, secrets: { ring: true } } } });
    answers.push(await ada.http.test_channel({ channel: 'pigeon' }));
    t.match(answers[1], { channel: 'pigeon', accepted: false, error: 'The sky refuses the ring … for good' });
    t.match(flown, [{ settings: { address: 'roof', ring: secret }, note: { id: Number, source: 'system', url: null } }]);

    const [id] = (await notify(platform, { to: [ada.id] })) as [number];
    answers.push(await reaches(ada.http, id, ({ deliveries }) => deliveries[0]?.status === 'failed'));
    answers.push(await ada.http.list({ status: 'pending', source: '', page: 1, limit: 20 }));
    t.match(answers.at(-1), { notifications: [{ id, error: 'pigeon: The sky refuses the ring … for good' }] });

    answers.push(await set({ address: 'roof 2' }));
    t.match(
      answers.at(-1),
      { channels: { pigeon: { settings: { address: 'roof 2' }, secrets: { ring: true } } } },
      'an omitted secret stays',
    );
    await platform.kernel.close();
    const next = await again();
    const later = await someone(t, next);
    const asAda = await next.kernel.invoke(
      'notifications.preferences',
      {},
      { ...(await next.kernel.tokenCaller(later.token, 'direct')), member_id: ada.id },
    );
    answers.push(asAda.body);
    t.match(asAda.body, { channels: { pigeon: { settings: { address: 'roof 2' }, secrets: { ring: true } } } });
    t.ok(keptQuiet(platform, ...answers) && keptQuiet(next));
  });
});

t.test('secrets are stored encrypted, and an empty one is removed', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    const set = (settings: Record<string, string>) => ada.http.set_preferences({ channels: { pigeon: { enabled: true, settings } } });
    await set({ address: 'roof', ring: secret });
    const flown = fly();
    t.match(await ada.http.test_channel({ channel: 'pigeon' }), { accepted: true, error: null });
    t.equal(flown[0]?.settings.ring, secret);
    t.match(await set({ address: 'roof', ring: '' }), { channels: { pigeon: { secrets: { ring: false } } } });
    await ada.http.test_channel({ channel: 'pigeon' });
    t.same(flown[1]?.settings, { address: 'roof' });
  });
});

t.test('a channel is tested at once, at most five times a minute', async (t) => {
  let shift_ms = 0;
  const clock = { now: () => Date.now() + shift_ms };
  await onEach(
    t,
    async (t, platform) => {
      shift_ms = 0;
      const [ada, bob] = [await someone(t, platform), await someone(t, platform)];
      const flown = fly();
      t.match(await failureOf(ada.http.test_channel({ channel: 'raven' })), { code: 'channel_not_found', status: 404 });
      t.match(await failureOf(ada.http.test_channel({ channel: 'pigeon' })), { code: 'channel_not_set_up', status: 409 });
      await ada.http.set_preferences({ channels: { pigeon: { settings: { ring: 'gold' } } } });
      t.match(await failureOf(ada.http.test_channel({ channel: 'pigeon' })), { code: 'channel_not_set_up' });
      await ada.http.set_preferences({ channels: { pigeon: { settings: { address: 'roof' } } } });
      t.match(await ada.http.test_channel({ channel: 'web' }), { accepted: false, error: /None of your devices/ });
      await socket(t, platform, ada);
      t.match(await ada.http.test_channel({ channel: 'web' }), { accepted: true });
      for (let n = 0; n < 3; n += 1)
        t.match(await ada.http.test_channel({ channel: 'pigeon' }), { accepted: true }, 'a disabled channel can be tested too');
      t.equal(flown.length, 3);
      const refusal = await ada.http.test_channel({ channel: 'pigeon' }).catch((fault: unknown) => fault);
      t.match(refusal, { code: 'rate_limited', status: 429 });
      t.ok(Number((refusal as { retry_after: number }).retry_after) > 0);
      t.match(
        await failureOf(bob.http.test_channel({ channel: 'pigeon' })),
        { code: 'channel_not_set_up' },
        'other members have their own channels',
      );
      shift_ms = 61_000;
      t.match(await ada.http.test_channel({ channel: 'pigeon' }), { accepted: true });
      t.match(await ada.http.list({ status: 'all', source: '', page: 1, limit: 20 }), { total: 0 }, 'no test notification is stored');
    },
    { clock },
  );
});

t.test('no frames are sent for sources that the web channel excludes', async (t) => {
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    await ada.http.set_preferences({ channels: { web: { sources: ['schedule'] } } });
    const device = await socket(t, platform, ada);
    const [quiet] = (await notify(platform, { to: [ada.id], source: 'system' })) as [number];
    const [told] = (await notify(platform, { to: [ada.id], source: 'schedule' })) as [number];
    t.match((await device.next('notification')).data, { id: told });
    t.match(await ada.http.get({ id: quiet }), { status: 'pending' });
    t.equal(device.of('notification').length, 1);
  });
});
