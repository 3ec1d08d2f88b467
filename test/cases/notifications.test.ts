import t from 'tap';
import { someone } from '../extensions/notifications/world.js';
import { ownExtension, startPlatform } from '../helpers/platform.js';
import { addressCases } from './notifications/private-addresses.js';

const extensions = ['members', 'notifications'].map(ownExtension);

t.test('an address that deliveries may not reach is refused when it is saved', async (t) => {
  const platform = await startPlatform(t, { extensions });
  const ada = await someone(t, platform);
  for (const { name, source, channel, settings, refused } of addressCases)
    await t.test(`${name} (${source})`, async (t) => {
      const saved = ada.http.set_preferences({ channels: { [channel]: { enabled: true, settings } } });
      if (refused === undefined) await t.resolves(saved);
      else {
        const details = [{ path: `channels.${channel}.settings.${refused}`, message: /the setting fetch_allow/ }];
        await t.rejects(saved, { code: 'invalid_input', status: 400, details });
      }
    });
});
