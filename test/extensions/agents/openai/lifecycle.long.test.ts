import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { until } from '../../../helpers/eventually.js';
import type { Exchange } from '../../../helpers/model-server.js';
import { adminPassword, callerOf, startPlatform } from '../../../helpers/platform.js';
import { administrator, login, withModel } from '../../chat/world.js';
import { clientOf, errorOf, user } from './world.js';

/** A reply that is being streamed; the model says on when it is told to. */
async function streaming(t: Test) {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, options);
  const { token } = await login(t, platform, 'admin', adminPassword);
  const client = clientOf(platform, token);
  const [{ id: name } = { id: '' }] = (await client.models.list()).data;
  let exchange: Exchange | undefined;
  model.script((asked) => {
    exchange = asked;
    asked.text('Once ');
  });
  const stream = await client.chat.completions.create({ model: name, messages: [user('Tell me')], stream: true });
  const read = { text: '' };
  const whole = (async () => {
    for await (const { choices } of stream) read.text += choices[0]?.delta.content ?? '';
    return read.text;
  })();
  whole.catch(() => undefined);
  await until(() => read.text, Boolean);
  return { platform, client, name, token, whole, exchange: exchange as Exchange };
}

t.test('an AI employee is working while it answers a request', async (t) => {
  const { platform, name, whole, exchange } = await streaming(t);
  const status = async () => (await administrator(platform).members.list_virtual({})).find(({ username }) => username === name)?.status;
  t.equal(await status(), 'working');
  exchange.finish();
  await whole;
  await until(status, (now) => now === 'idle');
});

t.test('after a replacement a running answer finishes, and the next request gets the new version', async (t) => {
  const { platform, client, whole, exchange } = await streaming(t);
  await platform.kernel.invoke('plugins.reload', { name: 'agents' }, callerOf());
  t.ok((await client.models.list()).data.length > 0);
  await sleep(200);
  exchange.text('upon a time.');
  exchange.finish();
  t.equal(await whole, 'Once upon a time.');
});

t.test('disabling the extension ends an answer with a message and aborts the model', async (t) => {
  const { platform, client, whole, exchange } = await streaming(t);
  await platform.kernel.invoke('plugins.disable', { name: 'agents' }, callerOf());
  t.match(await errorOf(whole), { code: 'interrupted' });
  await exchange.closed;
  t.match(await errorOf(Promise.resolve(client.models.list())), { status: 503 });
});

t.test('an answer ends when its token is revoked', async (t) => {
  const { client, token, platform, whole, exchange } = await streaming(t);
  await fetch(`${platform.url}/api/auth/logout`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
  await t.rejects(whole);
  await exchange.closed;
  t.match(await errorOf(Promise.resolve(client.models.list())), { status: 401 });
});

t.test('a client that does not read applies back-pressure to the model', async (t) => {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, options);
  const { token } = await login(t, platform, 'admin', adminPassword);
  const [{ id: name } = { id: '' }] = (await clientOf(platform, token).models.list()).data;
  const max = 50_000;
  let said = 0;
  model.script(async (asked) => {
    for (; said < max && !asked.isClosed; await sleep(1)) {
      for (let piece = 0; piece < 100 && asked.unread < 1_000_000; piece += 1, said += 1)
        asked.delta({ reasoning_content: 'x'.repeat(1_000) });
    }
  });
  const body = JSON.stringify({ model: name, stream: true, messages: [user('Go on')] });
  const socket = connect(Number(new URL(platform.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.pause();
  const head = `POST /api/v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: ${body.length}`;
  socket.write(`${head}\r\n\r\n${body}`);
  await until(() => said, Boolean);
  await until(
    async () => {
      const before = said;
      await sleep(500);
      return said - before;
    },
    (more) => more === 0,
  );
  t.ok(said < max / 2, `${said} of ${max} pieces were requested from the model`);
  socket.destroy();
  await model.exchanges[0]?.closed;
});
