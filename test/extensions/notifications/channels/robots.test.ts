import t from 'tap';
import { startDingtalk } from '../../../helpers/vendors/dingtalk.js';
import { startFeishu } from '../../../helpers/vendors/feishu.js';
import { startSlack } from '../../../helpers/vendors/slack.js';
import { startTelegram } from '../../../helpers/vendors/telegram.js';
import { startWecom } from '../../../helpers/vendors/wecom.js';
import { note, openChannels } from './world.js';

// With `+` and `/` in its signatures now and then, which a query must encode.
const secret = 'SEC0123456789abcdef/+=';
const hour_ms = 3_600_000;
const clockAt = (shift_ms: number) => ({ now: () => Date.now() + shift_ms, iso: () => '' });

for (const [name, start] of [
  ['feishu', startFeishu],
  ['dingtalk', startDingtalk],
] as const) {
  t.test(`${name}: signs for a robot that requires signatures with its current secret only`, async (t) => {
    const vendor = await start(t, { secret });
    const { url } = vendor;
    const { send, refused } = openChannels(t);
    for (let count = 0; count < 20; count += 1) await openChannels(t, { clock: clockAt(count * 1_000) }).send(name, { url, secret });
    t.equal(vendor.messages.length, 20);
    const faults = [await refused(name, { url }), await refused(name, { url, secret: 'hunter2' })];
    for (const shift of [-hour_ms - 5_000, hour_ms + 5_000])
      faults.push(await openChannels(t, { clock: clockAt(shift) }).refused(name, { url, secret }));
    for (const fault of faults) {
      t.match(fault, { retry: false, message: /(?:rejected the signature|did not accept the message): check the secret/ });
      t.notMatch(fault.message, /hunter2|SEC0123|token-/);
    }
    t.match(await refused(name, { url, secret: 'two words' }), { retry: false, message: /'Secret' of .* is wrong/ });
    await t.rejects(send(name, { secret }), { retry: false, message: /requires 'Webhook URL', which is not set/ });
  });
}

t.test('feishu: reports a missing keyword, and uses the text for ambiguous codes', async (t) => {
  const vendor = await startFeishu(t, { keyword: 'nightly' });
  const { send, refused } = openChannels(t);
  const settings = { url: vendor.url };
  await send('feishu', settings);
  t.match(await refused('feishu', settings, { title: 'other' }), { retry: false, message: /keywords/ });
  vendor.next(
    { body: { code: 9499, msg: 'too many request', data: {} } },
    { body: { code: 9499, msg: 'Bad Request', data: {} } },
    { status: 429, headers: { 'x-ogw-ratelimit-reset': '52' }, body: { code: 99991400, msg: 'request trigger frequency limit' } },
    { status: 400, headers: { 'x-ogw-ratelimit-reset': 'soon' }, body: { code: 99991400, msg: 'request trigger frequency limit' } },
    { body: { code: 19022, msg: 'Ip Not Allowed' } },
    { body: { code: 1500, msg: 'internal error hunter2' } },
    { body: { StatusCode: 0, StatusMessage: 'success' } },
  );
  t.match(await refused('feishu', settings), { retry: true, message: /no more messages/ });
  t.match(await refused('feishu', settings), { retry: false, message: /did not understand/ });
  t.match(await refused('feishu', settings), { retry: true, retry_after_ms: 52_000 });
  t.match(await refused('feishu', settings), { retry: true, retry_after_ms: undefined });
  t.match(await refused('feishu', settings), { retry: false, message: /IP whitelist/ });
  t.match(await refused('feishu', settings), { retry: true, message: 'Feishu refused the message (code 1500)' });
  await t.resolves(send('feishu', settings), 'the older form of success is accepted');
});

t.test('feishu: sends the link as an element, or leaves an oversized one out', async (t) => {
  const vendor = await startFeishu(t);
  const { send } = openChannels(t);
  await send('feishu', { url: vendor.url });
  await send('feishu', { url: vendor.url }, { url: `https://work.example/${'x'.repeat(2_000)}` });
  t.match(vendor.received[0]?.body, {
    msg_type: 'post',
    content: { post: { zh_cn: { title: note.title, content: [[{ tag: 'text', text: note.summary }], [{ tag: 'a', href: note.url }]] } } },
  });
  t.equal(vendor.messages[1], `${note.title}\n${note.summary}`);
});

t.test('dingtalk: members see the meaning of its codes', async (t) => {
  const vendor = await startDingtalk(t);
  const { refused } = openChannels(t);
  const settings = { url: vendor.url };
  const codes: [errcode: number, retry: boolean, message: RegExp][] = [
    [-1, true, /busy/],
    [410100, true, /no more messages/],
    [400102, false, /stopped this robot/],
    [400013, false, /dissolved/],
    [430101, false, /unsafe/],
    [460101, false, /too long/],
    [12345, true, /code 12345/],
  ];
  for (const [errcode, retry, message] of codes) {
    vendor.next({ body: { errcode, errmsg: 'hunter2' } });
    t.match(await refused('dingtalk', settings), { retry, message }, String(errcode));
  }
});

t.test('wecom: an error counts whatever the status', async (t) => {
  const vendor = await startWecom(t);
  const { refused } = openChannels(t);
  vendor.next(
    { status: 403, body: { errcode: 93000, errmsg: 'invalid webhook url' } },
    { status: 500, body: { errcode: 0, errmsg: 'ok' } },
  );
  t.match(await refused('wecom', { url: vendor.url }), { retry: false, message: /no longer knows this robot/ });
  t.match(await refused('wecom', { url: vendor.url }), { retry: true }, 'a success code with an error status is a failure');
});

t.test('slack: escaped characters count as sent and are not split', async (t) => {
  const vendor = await startSlack(t);
  const { send } = openChannels(t);
  await send('slack', { url: vendor.url }, { summary: '<&>'.repeat(1_300) });
  const { text = '', ...rest } = (vendor.received[0]?.body ?? {}) as { text?: string };
  t.ok(text.length <= 4_000 && text.length > 3_980, String(text.length));
  t.notMatch(text, /[<>]|&(?!(?:lt|gt|amp);)/);
  t.strictSame(rest, { mrkdwn: false, unfurl_links: false, unfurl_media: false });
});

t.test('slack: members see the meaning of its replies', async (t) => {
  const vendor = await startSlack(t);
  const { send, refused } = openChannels(t);
  const settings = { url: vendor.url };
  vendor.next(
    { status: 404, body: 'no_service' },
    { status: 404, body: 'channel_not_found' },
    { status: 410, body: 'channel_is_archived' },
    { status: 403, body: 'action_prohibited' },
    { status: 400, body: 'invalid_payload' },
    { status: 403, body: { ok: false, error: 'invalid_token' } },
    { status: 200, body: { ok: true } },
  );
  t.match(await refused('slack', settings), { retry: false, message: /no longer knows this webhook/ });
  t.match(await refused('slack', settings), { retry: false, message: /no longer finds the channel/ });
  t.match(await refused('slack', settings), { retry: false, message: /archived/ });
  t.match(await refused('slack', settings), { retry: false, message: /ask an administrator/ });
  t.match(await refused('slack', settings), { retry: false, message: 'Slack answered HTTP 400' });
  t.match(await refused('slack', settings), { retry: false, message: /no longer knows this webhook/ });
  await t.resolves(send('slack', settings));
});

t.test('telegram: members see the meaning of its descriptions', async (t) => {
  const vendor = await startTelegram(t);
  const { refused } = openChannels(t);
  const settings = { api_url: vendor.url, token: vendor.token, chat_id: vendor.chat_id };
  const failed = (error_code: number, description: string, parameters: object = {}) => ({
    status: error_code,
    body: { ok: false, error_code, description, parameters },
  });
  vendor.next(
    failed(403, 'Forbidden: bot was blocked by the user'),
    failed(403, 'Forbidden: bot was kicked from the supergroup chat'),
    failed(400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1009876543210 }),
    failed(429, 'Too Many Requests: retry after 99999', { retry_after: 99_999 }),
    failed(429, 'Too Many Requests', { retry_after: 'hunter2' }),
    failed(500, 'Internal Server Error hunter2'),
    failed(400, 'Bad Request: hunter2'),
  );
  t.match(await refused('telegram', settings), { retry: false, message: /start it in Telegram/ });
  t.match(await refused('telegram', settings), { retry: false, message: /add it there/ });
  t.match(await refused('telegram', settings), { retry: false, message: /set the chat to -1009876543210/ });
  t.match(await refused('telegram', settings), { retry: true, retry_after_ms: 1_800_000 });
  t.match(await refused('telegram', settings), { retry: true, retry_after_ms: undefined });
  t.match(await refused('telegram', settings), { retry: true, message: 'Telegram refused the message (HTTP 500)' });
  t.match(await refused('telegram', settings), { retry: false, message: 'Telegram refused the message (HTTP 400)' });
  t.match(await refused('telegram', { ...settings, chat_id: '-1' }), { retry: false, message: /cannot find the chat/ });
});

t.test('telegram: a token or chat that could redirect the request is rejected before anything is sent', async (t) => {
  const vendor = await startTelegram(t);
  const { refused } = openChannels(t);
  const settings = { api_url: vendor.url, token: vendor.token, chat_id: vendor.chat_id };
  for (const token of ['hunter2', `${vendor.token}/../../hunter2`, `${vendor.token}?hunter2`, `hunter2:${'A'.repeat(35)}`]) {
    const thrown = await refused('telegram', { ...settings, token });
    t.match(thrown, { retry: false, message: /'Bot token' of Telegram is wrong/ }, token);
    t.notMatch(thrown.message, /hunter2/);
  }
  for (const chat_id of ['hunter', '@a', '1.5', '12345678901234567890123'])
    t.match(await refused('telegram', { ...settings, chat_id }), { retry: false, message: /'Chat' of Telegram is wrong/ }, chat_id);
  for (const api_url of ['https://evil.example', `${vendor.url}/?x=`, 'https://api.telegram.org.evil.example/'])
    t.match(
      await refused('telegram', { ...settings, api_url }),
      { retry: false, message: /'Bot API server' of Telegram is wrong/ },
      api_url,
    );
  t.same(vendor.received, []);
});
