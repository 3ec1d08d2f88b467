import t from 'tap';
import { startPlatform, temporaryFolder } from '../../helpers/platform.js';
import { startMailServer } from '../../helpers/vendors/mail.js';
import { startWebhook } from '../../helpers/vendors/webhook.js';
import { failureOf, login } from '../chat/world.js';
import { extensions, notificationsOf, notify, onEach, reaches, someone } from './world.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;

t.test('a signed notification reaches a real webhook, and rejections are reported without the address', async (t) => {
  await onEach(
    t,
    async (t, platform) => {
      const receiver = await startWebhook(t, { secret });
      const ada = await someone(t, platform);
      const choose = (settings: Record<string, string>) => ada.http.set_preferences({ channels: { webhook: { enabled: true, settings } } });
      const shown = await choose({ url: receiver.url, secret });
      t.match(shown.channels, { webhook: { settings: {}, secrets: { url: true, secret: true } } }, 'the address is a secret too');
      t.match(await ada.http.test_channel({ channel: 'webhook' }), { accepted: true, error: null });
      const about = { kind: 'node_offline', about: { node_id: 1 }, link: 'https://work.example/nodes/1' } as const;
      const [id] = (await notify(platform, { to: [ada.id], title: 'Node down', ...about })) as [number];
      t.match(await reaches(ada.http, id, ({ status }) => status === 'sent'), { im_channel: 'webhook', error: null });
      const ids = { node_id: 1, session_id: null, schedule_id: null };
      const link = 'https://work.example/nodes/1';
      t.match(receiver.accepted.slice(1), [{ data: { id, title: 'Node down', kind: 'node_offline', url: link, link, ...ids } }]);

      await choose({ secret: other });
      const [lost] = (await notify(platform, { to: [ada.id] })) as [number];
      const failed = await reaches(ada.http, lost, ({ error }) => error !== null);
      t.match(failed, { status: 'pending', deliveries: [{ channel: 'webhook', status: 'failed', attempts: 1 }] });
      receiver.next({ status: 503 });
      const [late] = (await notify(platform, { to: [ada.id] })) as [number];
      const waiting = await reaches(ada.http, late, ({ error }) => error !== null);
      t.match(waiting, { deliveries: [{ status: 'waiting', attempts: 1 }] });
      const told = JSON.stringify([shown, failed, waiting, platform.lines]);
      t.notOk([secret, other, 'webhook-token-31c4'].some((hidden) => told.includes(hidden)));
      t.match(await failureOf(choose({ url: 'ftp://x', secret: 'weak' })), { code: 'invalid_input' });
    },
    { settings: { fetch_allow: ['127.0.0.1'] } },
  );
});

t.test('a private webhook saved while allowed is not called once it is not', async (t) => {
  const receiver = await startWebhook(t);
  const data_dir = await temporaryFolder(t);
  const start = (fetch_allow: string[]) => startPlatform(t, { extensions, settings: { data_dir, fetch_allow } });
  const open = await start(['127.0.0.1']);
  const { http, name } = await someone(t, open);
  await http.set_preferences({ channels: { webhook: { enabled: true, settings: { url: receiver.url } } } });
  await open.kernel.close();
  const closed = await start([]);
  const ada = notificationsOf(t, closed, (await login(t, closed, name)).token);
  t.match(await ada.test_channel({ channel: 'webhook' }), { accepted: false, error: /fetch_allow/ });
  t.equal(receiver.received.length, 0);
});

t.test('a notification reaches a real mail server, and a missing address is reported', async (t) => {
  const login = { user: 'platform', password: 'mail-password-99' };
  const server = await startMailServer(t, { login });
  const smtp = {
    'notifications.smtp.host': '127.0.0.1',
    'notifications.smtp.port': server.port,
    'notifications.smtp.secure': 'none',
    'notifications.smtp.user': login.user,
    'notifications.smtp.password': login.password,
    'notifications.smtp.from': 'Work <platform@work.example>',
  } as const;
  await onEach(
    t,
    async (t, platform) => {
      const ada = await someone(t, platform);
      const before = server.mails.length;
      await ada.http.set_preferences({ channels: { email: { enabled: true, settings: { address: 'ada@home.example' } } } });
      const [id] = (await notify(platform, { to: [ada.id], title: 'Backup done', summary: 'All 12 tables' })) as [number];
      t.match(await reaches(ada.http, id, ({ status }) => status === 'sent'), { im_channel: 'email' });
      t.match(server.mails.slice(before), [{ to: ['ada@home.example'], user: login.user, text: /Backup done[\s\S]*All 12 tables/ }]);
      t.notOk(JSON.stringify(platform.lines).includes(login.password));
    },
    { settings: smtp },
  );
  await onEach(t, async (t, platform) => {
    const ada = await someone(t, platform);
    await ada.http.set_preferences({ channels: { email: { enabled: true, settings: { address: 'ada@home.example' } } } });
    t.match(await ada.http.test_channel({ channel: 'email' }), { accepted: false, error: /PLATFORM_SMTP_HOST/ });
  });
});
