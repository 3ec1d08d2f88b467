import t, { type Test } from 'tap';
import { bytesOf } from '../../../../extensions/notifications/channels/text.js';
import { startDingtalk } from '../../../helpers/vendors/dingtalk.js';
import { startFeishu } from '../../../helpers/vendors/feishu.js';
import type { ChatOptions, ChatReceiver, Receiver, Reply } from '../../../helpers/vendors/receiver.js';
import { startSlack } from '../../../helpers/vendors/slack.js';
import { startTelegram } from '../../../helpers/vendors/telegram.js';
import { startWecom } from '../../../helpers/vendors/wecom.js';
import { note, openChannels, type Settings } from './world.js';

interface Vendor {
  name: string;
  title: string;
  start: (t: Test, options?: ChatOptions) => Promise<ChatReceiver & { settings: Settings }>;
  /** The same place with a token that the vendor doesn't know. */
  unknown: (settings: Settings) => Settings;
  /** How long a message may be, as the vendor counts. */
  max: number;
  size: (text: string) => number;
  /** When it is asked again after too many messages. */
  wait_ms: number | undefined;
}

const byUrl = (url: string) => ({ url });
const otherUrl = ({ url = '' }: Settings) => ({ url: url.replace(/.{6}$/, 'hunter') });

const vendors: Vendor[] = [
  {
    name: 'slack',
    title: 'Slack',
    start: async (t, options) => withSettings(await startSlack(t, options), byUrl),
    unknown: otherUrl,
    max: 4_000,
    size: (text) => text.length,
    wait_ms: 30_000,
  },
  {
    name: 'feishu',
    title: 'Feishu',
    start: async (t, options) => withSettings(await startFeishu(t, options), byUrl),
    unknown: otherUrl,
    max: 20 * 1024,
    size: bytesOf,
    wait_ms: undefined,
  },
  {
    name: 'dingtalk',
    title: 'DingTalk',
    start: async (t, options) => withSettings(await startDingtalk(t, options), byUrl),
    unknown: otherUrl,
    max: 20_000,
    size: bytesOf,
    wait_ms: 600_000,
  },
  {
    name: 'wecom',
    title: 'WeCom',
    start: async (t, options) => withSettings(await startWecom(t, options), byUrl),
    unknown: otherUrl,
    max: 2_048,
    size: bytesOf,
    wait_ms: 60_000,
  },
  {
    name: 'telegram',
    title: 'Telegram',
    async start(t, options) {
      const receiver = await startTelegram(t, options);
      const { token, chat_id } = receiver;
      return withSettings(receiver, (api_url) => ({ api_url, token, chat_id }));
    },
    unknown: (settings) => ({ ...settings, token: `${settings.token?.slice(0, -6)}hunter` }),
    max: 4_096,
    size: (text) => text.length,
    wait_ms: 34_000,
  },
];

function withSettings(receiver: ChatReceiver, settings: (url: string) => Settings) {
  return { ...receiver, settings: settings(receiver.url) };
}

/** No part of a token, nor of what the other side said. */
function keepsQuiet(t: Test, message: string): void {
  t.notMatch(message, /hunter|token-|wecom-key|:AA|https?:\/\/|\bhint\b|203\.0\.113/);
}

for (const { name, title, start, unknown, max, size, wait_ms } of vendors) {
  t.test(name, async (t) => {
    t.test('a note arrives with title, summary and link', async (t) => {
      const vendor = await start(t);
      const { send } = openChannels(t);
      await send(name, vendor.settings);
      await send(name, vendor.settings, { title: 'Only a title', summary: '', url: null });
      t.equal(vendor.messages[0], `${note.title}\n${note.summary}\n${note.url}`);
      t.equal(vendor.messages[1]?.trim(), 'Only a title');
    });

    t.test('the text of a note arrives verbatim and mentions nobody', async (t) => {
      const vendor = await start(t);
      const { send } = openChannels(t);
      const summary = '<!channel> <at user_id="all">all</at> <@all> @all & *bold* _x_ [a](b) "q" \\ {"a":1} 日本語 👩‍👩‍👧‍👦';
      await send(name, vendor.settings, { title: '<!here> <@everybody>', summary, url: null });
      t.same(vendor.called, []);
      const kept = (text = '') => text.replaceAll('< @', '<@');
      t.equal(kept(vendor.messages[0]), `<!here> <@everybody>\n${summary}`);
    });

    t.test('the longest note is truncated but keeps its complete link', async (t) => {
      const vendor = await start(t);
      const { send } = openChannels(t);
      for (const filling of ['x', '日', '👍🏽', '&', '\u0001', '"', '<@']) {
        const summary = filling.repeat(4_000 / filling.length);
        await send(name, vendor.settings, { title: '日'.repeat(200), summary });
        const text = vendor.messages.at(-1) ?? '';
        t.ok(size(text) <= max, `${JSON.stringify(filling)}: ${size(text)} of ${max}`);
        t.ok(text.endsWith(`\n${note.url}`), 'the link is complete');
        const [, middle = ''] = text.split('\n');
        const whole = size(`${'日'.repeat(200)}\n${summary}\n${note.url}`) <= max;
        if (whole && !['&', '\u0001', '"', '<@'].includes(filling)) t.equal(middle, summary);
        t.notMatch(text, /\p{Surrogate}|\ufffd/u);
      }
    });

    t.test('a text beyond all limits is truncated as late as the vendor permits', async (t) => {
      const vendor = await start(t);
      const { send } = openChannels(t);
      await send(name, vendor.settings, { summary: '日'.repeat(20_000) });
      const text = vendor.messages[0] ?? '';
      const overhead = name === 'feishu' ? 400 : 0;
      t.ok(size(text) <= max && size(text) > max - overhead - 4, `${size(text)} of ${max}`);
      t.match(text, /日…\n\S+$/);
    });

    t.test('a delivery with an unknown token is not retried, and the token is never revealed', async (t) => {
      const vendor = await start(t);
      const { refused } = openChannels(t);
      const thrown = await refused(name, unknown(vendor.settings));
      t.match(thrown, { retry: false, message: new RegExp(`^${title} (?:does not know|no longer knows)`) });
      keepsQuiet(t, thrown.message);
      t.same(vendor.messages, []);
    });

    t.test('a throttled message is retried after the time that the vendor requests', async (t) => {
      const vendor = await start(t, { max: 1 });
      const { send, refused } = openChannels(t);
      await send(name, vendor.settings);
      const thrown = await refused(name, vendor.settings);
      t.match(thrown, { retry: true, message: /accepts no more messages at the moment/ });
      t.equal(thrown.retry_after_ms, wait_ms);
      keepsQuiet(t, thrown.message);
    });

    t.test('a vendor failure is retried, whether silent, broken or invalid', async (t) => {
      const vendor = await start(t);
      const { send, refused } = openChannels(t, { timeout_ms: 300 });
      const replies: [Reply, RegExp][] = [
        ['silence', /did not answer within 300 ms/],
        ['break off', /could not be reached, or closed the connection/],
        [{ status: 500, body: 'hunter2' }, /HTTP 500/],
        [{ status: 502, body: '<html>hunter2</html>' }, /HTTP 502/],
        [{ status: 429, headers: { 'retry-after': '7' }, body: 'hunter2' }, /no more messages/],
      ];
      for (const [reply, message] of replies) {
        vendor.next(reply);
        const thrown = await refused(name, vendor.settings);
        t.match(thrown, { name: 'Undelivered', retry: true, message }, JSON.stringify(reply));
        if (typeof reply === 'object' && reply.status === 429) t.equal(thrown.retry_after_ms, 7_000);
        keepsQuiet(t, thrown.message);
      }
      await t.resolves(send(name, vendor.settings));
    });

    t.test('a redirect is not followed', async (t) => {
      const vendor = await start(t);
      const { refused } = openChannels(t);
      for (const status of [302, 307]) {
        vendor.next({ status, headers: { location: '/hunter2' } });
        const thrown = await refused(name, vendor.settings);
        t.match(thrown, { retry: false, message: /redirect/ });
        keepsQuiet(t, thrown.message);
      }
      t.equal((vendor as Receiver).received.length, 2);
    });

    t.test("http is rejected unless the host is allowed, and so are other vendors' hosts", async (t) => {
      const vendor = await start(t);
      const { refused } = openChannels(t, { allowed: () => false });
      const other = name === 'wecom' ? 'oapi.dingtalk.com' : 'qyapi.weixin.qq.com';
      const elsewhere = JSON.parse(JSON.stringify(vendor.settings).replace(vendor.origin, `https://${other}/hunter2`)) as Settings;
      for (const settings of [vendor.settings, elsewhere]) {
        const thrown = await refused(name, settings);
        t.match(thrown, { retry: false, message: /is wrong: (?:it is an address of|it must begin with https)/ });
        keepsQuiet(t, thrown.message.replaceAll('https://', ''));
      }
      t.same(vendor.received, []);
    });
  });
}
