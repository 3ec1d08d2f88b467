import t from 'tap';
import { builtinChannels } from '../../../../extensions/notifications/channels/builtin.js';
import { type Channel, isUndelivered, Undelivered } from '../../../../extensions/notifications/channels/channel.js';
import { withChecks } from '../../../../extensions/notifications/channels/checked.js';
import { clock, note, openChannels } from './world.js';

const channels = builtinChannels({ fetch: () => Promise.reject(new Error('not asked')), smtp: undefined, clock });
const delivery = { settings: {}, note, signal: new AbortController().signal };

function failing(thrown: unknown): Channel {
  return { name: 'x', title: 'X', fields: [], send: () => Promise.reject(thrown) };
}

t.test('the built-in channels have these settings', async (t) => {
  t.strictSame(
    channels.map(({ name, fields }) => [
      name,
      fields.map((field) => `${field.name}${field.required ? '' : '?'}${field.secret ? ' (secret)' : ''}`),
    ]),
    [
      ['email', ['address']],
      ['webhook', ['url (secret)', 'secret? (secret)']],
      ['slack', ['url (secret)']],
      ['feishu', ['url (secret)', 'secret? (secret)']],
      ['dingtalk', ['url (secret)', 'secret? (secret)']],
      ['wecom', ['url (secret)']],
      ['telegram', ['token (secret)', 'chat_id', 'api_url?']],
    ],
  );
});

t.test('a channel accepts addresses of its vendor, and of no other', async (t) => {
  const places: Record<string, string[]> = {
    slack: ['https://hooks.slack.com/services/T0/B0/x', 'https://hooks.slack-gov.com/services/T0/B0/x'],
    feishu: ['https://open.feishu.cn/open-apis/bot/v2/hook/x', 'https://open.larksuite.com/open-apis/bot/v2/hook/x'],
    dingtalk: ['https://oapi.dingtalk.com/robot/send?access_token=x'],
    wecom: ['https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=x'],
  };
  for (const [name, urls] of Object.entries(places)) {
    const field = channels.find((channel) => channel.name === name)?.fields.find((one) => one.name === 'url');
    for (const url of urls) t.equal(field?.check(url), undefined, url);
    const others = Object.entries(places).flatMap(([other, theirs]) => (other === name ? [] : theirs));
    for (const url of [...others, 'http://evil.example/']) t.type(field?.check(url), 'string', `${name}: ${url}`);
  }
});

t.test('each fault of a setting is reported without repeating its value', async (t) => {
  for (const { name, fields } of channels)
    for (const field of fields) t.notMatch(field.check('hunter2 hunter2\n') ?? 'hunter2', /hunter2/, `${name}.${field.name}`);
});

t.test('an unexpected error is reported without its text, and the delivery is retried', async (t) => {
  const fault = new Error('hunter2');
  await t.rejects(withChecks(failing(fault)).send(delivery), {
    name: 'Undelivered',
    retry: true,
    cause: fault,
    message: /^X failed unexpectedly/,
  });
  const known = new Undelivered('Not today', { retry: false });
  const thrown = await withChecks(failing(known))
    .send(delivery)
    .catch((error: unknown) => error);
  t.equal(thrown, known);
});

t.test('an Undelivered of another bundle is recognised', async (t) => {
  const other = Object.assign(new Error('Not today'), { isUndelivered: true, retry: false });
  t.ok(isUndelivered(other));
  t.notOk(isUndelivered(new Error('Not today')));
  t.notOk(isUndelivered({ isUndelivered: true }));
  t.equal(
    await withChecks(failing(other))
      .send(delivery)
      .catch((error: unknown) => error),
    other,
  );
});

t.test('a failure of the guard is reported with the host only', async (t) => {
  const { refused } = openChannels(t, { allowed: () => true, guard: { allow: [] } });
  const { message } = await refused('webhook', { url: 'http://127.0.0.1:4999/hunter2?key=hunter2' });
  t.equal(message, '127.0.0.1:4999 is a private address; an administrator can allow it in the setting fetch_allow');
});
