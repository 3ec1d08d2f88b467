import t from 'tap';
import { loadConfig } from '../../config/load.js';
import { readSmtp } from '../../extensions/notifications/channels/smtp.js';
import { openChannels } from '../extensions/notifications/channels/world.js';
import { someone } from '../extensions/notifications/world.js';
import { ownExtension, startPlatform } from '../helpers/platform.js';
import { startMailServer } from '../helpers/vendors/mail.js';
import { startReceiver } from '../helpers/vendors/receiver.js';
import { startScriptedMail } from '../helpers/vendors/scripted-mail.js';
import { answerCases } from './notifications/chat-answers.js';
import { addressCases } from './notifications/private-addresses.js';
import { refusedSenders, senderCases } from './notifications/senders.js';
import { smtpCases } from './notifications/smtp-servers.js';

const to = { address: 'ada@people.example' };
const from = 'Platform <platform@work.example>';
const extensions = ['members', 'notifications'].map(ownExtension);

t.test('an address that deliveries may not reach is rejected when saved', async (t) => {
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

const places = {
  slack: { own: 'hooks.slack.com', path: '/services/T0/B0/x' },
  feishu: { own: 'open.feishu.cn', path: '/open-apis/bot/v2/hook/x' },
  dingtalk: { own: 'oapi.dingtalk.com', path: '/robot/send?access_token=x' },
  wecom: { own: 'qyapi.weixin.qq.com', path: '/cgi-bin/webhook/send?key=x' },
  telegram: { own: 'api.telegram.org', path: '' },
} as const;

t.test('answers of chat servers are classified', async (t) => {
  const receiver = await startReceiver(t, () => 'break off');
  const { port } = new URL(receiver.origin);
  const lookup = async () => [{ address: '127.0.0.1', family: 4 }];
  const { send, refused } = openChannels(t, { allowed: () => true, guard: { lookup } });
  for (const { name, source, channel, host, reply, expected } of answerCases)
    await t.test(`${channel}: ${name} (${source})`, async (t) => {
      const { own, path } = places[channel];
      const url = `http://${host === 'own' ? own : 'chat.example'}:${port}${path}`;
      const settings = channel === 'telegram' ? { api_url: url, token: `1:${'A'.repeat(35)}`, chat_id: '42' } : { url };
      receiver.next(reply);
      if (expected === 'accepted') return void (await t.resolves(send(channel, settings)));
      const { says, ...rest } = expected;
      t.match(await refused(channel, settings), { ...rest, message: says });
    });
});

t.test('replies of mail servers are classified', async (t) => {
  const server = await startScriptedMail(t);
  for (const { name, source, script, settings = {}, expected, command } of smtpCases)
    await t.test(`${name} (${source})`, async (t) => {
      server.play(script);
      const smtp = { host: '127.0.0.1', port: server.port, secure: 'none', user: '', password: '', from, ...settings } as const;
      const { send, refused } = openChannels(t, { smtp, timeout_ms: 300 });
      const [commands, messages] = [server.commands.length, server.messages.length];
      if (expected === 'sent') await send('email', to);
      else t.match(await refused('email', to), { retry: expected.retry, message: expected.says });
      if (expected === 'sent') t.equal(server.messages.length, messages + 1);
      if (command)
        t.ok(
          server.commands.slice(commands).some((line) => command.test(line)),
          server.commands.slice(commands).join(' | '),
        );
    });
});

t.test('the sender of mails is parsed', async (t) => {
  const server = await startMailServer(t);
  const read = (PLATFORM_SMTP_FROM: string) =>
    loadConfig({ env: { PLATFORM_SMTP_HOST: '127.0.0.1', PLATFORM_SMTP_SECURE: 'none', PLATFORM_SMTP_FROM }, overrides: {} }).notifications;
  for (const { name, source, from, header, envelope = 'a@example.org' } of senderCases)
    await t.test(`${name} (${source})`, async (t) => {
      const smtp = readSmtp(read(from));
      if (!smtp) throw new Error('There is no mail server in the configuration');
      await openChannels(t, { smtp: { ...smtp, port: server.port } }).send('email', to);
      const mail = server.mails.at(-1);
      t.match(mail?.text, `\r\nFrom: ${header}\r\n`);
      t.equal(mail?.from, envelope);
    });
  for (const from of refusedSenders) t.throws(() => read(from), /PLATFORM_SMTP_FROM/, JSON.stringify(from));
});
