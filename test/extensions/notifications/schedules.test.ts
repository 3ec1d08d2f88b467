import t from 'tap';
import type { NotificationsApi } from '../../../extensions/notifications/contract.js';
import type { SchedulesApi } from '../../../extensions/schedules/contract.js';
import { connect } from '../../../kernel/client/connect.js';
import { direct } from '../../../kernel/client/direct.js';
import { until } from '../../helpers/eventually.js';
import { fixture, ownExtension } from '../../helpers/platform.js';
import { onEach } from './world.js';

const extensions = [...['members', 'schedules', 'notifications'].map(ownExtension), fixture('pigeon')];

t.test("a schedule's creator is notified of failed runs with a count; after five, administrators are notified too", async (t) => {
  await onEach(
    t,
    async (t, { kernel }) => {
      const { schedules, notifications } = connect<SchedulesApi & NotificationsApi>(kernel.operations(), direct(kernel));
      const hourly = { trigger_type: 'interval', trigger_value: '24h', notify: 'failure' } as const;
      // Nothing resolves this name.
      const action = { action: 'http.request', params: { url: 'http://nowhere..example/' } };
      const { id } = await schedules.create({ name: 'Ping', ...hourly, ...action });
      const waiting = async () => (await notifications.list({ status: 'pending', source: 'schedule', page: 1, limit: 20 })).notifications;
      for (let failed = 1; failed <= 5; failed += 1) {
        await schedules.run({ id });
        await until(waiting, (found) => found.some(({ title, count }) => /did not succeed/.test(title) && count === failed));
      }
      const found = await until(waiting, ({ length }) => length === 2);
      t.match(found.map(({ title }) => title).sort(), ["The schedule 'Ping' did not succeed: failed", "The schedule 'Ping' was stopped"]);
      t.match(
        found.find(({ title }) => /stopped/.test(title)),
        { source: 'schedule', summary: /^Five runs in a row failed/ },
      );
    },
    { extensions },
  );
});

t.test('a schedule can send notifications', async (t) => {
  await onEach(
    t,
    async (t, { kernel }) => {
      const { schedules, notifications } = connect<SchedulesApi & NotificationsApi>(kernel.operations(), direct(kernel));
      const trigger = { trigger_type: 'interval', trigger_value: '24h', notify: 'always' } as const;
      const params = { title: 'Stand up', summary: 'It is ten' };
      const { id } = await schedules.create({ name: 'Daily', ...trigger, action: 'notifications.send', params });
      await schedules.run({ id });
      const waiting = async () => (await notifications.list({ status: 'pending', source: 'schedule', page: 1, limit: 20 })).notifications;
      const found = await until(waiting, ({ length }) => length === 2);
      t.same(found.map(({ title }) => title).sort(), ['Stand up', "The schedule 'Daily' has run"]);
    },
    { extensions },
  );
});
