import { setTimeout as sleep } from 'node:timers/promises';
import type { OpenAI } from 'openai';
import t from 'tap';
import { until } from '../../../helpers/eventually.js';
import type { Exchange } from '../../../helpers/model-server.js';
import { clientOf, eachWorld, employee, errorOf, user } from './world.js';

t.test("failures have OpenAI's error format", async (t) => {
  await eachWorld(t, async (t, { platform, model, client, token, me }) => {
    const name = await employee(platform);
    const ask = (change: object = {}, by = client) => {
      const body = { model: name, messages: [user('Hi')], ...change } as OpenAI.Chat.ChatCompletionCreateParams;
      return errorOf(by.chat.completions.create(body));
    };
    t.match(await ask({}, clientOf(platform, 'plat_wrong')), { status: 401, code: 'invalid_api_key', type: 'authentication_error' });
    const { token: reader } = await me.http.tokens.create({ name: 'r', scopes: ['read'] });
    t.match(await ask({}, clientOf(platform, reader)), { status: 403, code: 'scope_missing' });
    t.match(await ask({ model: 'nobody' }), { status: 404, code: 'model_not_found' });
    t.match(await ask({ messages: [] }), { status: 400, code: 'invalid_input', param: 'messages', type: 'invalid_request_error' });
    t.match(await ask({ messages: [{ role: 'tool', content: 'x', tool_call_id: 'none' }] }), { status: 400, param: 'messages' });
    t.match(await ask({ messages: [{ role: 'king', content: 'x' }] }), { status: 400, param: 'messages.0.role' });
    t.match(await ask({ n: 2 }), { status: 400, param: 'n' });
    t.match(await ask({ response_format: { type: 'json_object' } }), { status: 400, param: 'response_format' });
    t.match(await ask({ tools: [{ type: 'function', function: { name: 'a b' } }] }), { status: 400, param: 'tools.0.function.name' });
    const address = [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/y.png' } }];
    t.match(await ask({ messages: [{ role: 'user', content: address }] }), { status: 400, param: 'messages.0.content.0.image_url' });
    const unanswered = { role: 'assistant', tool_calls: [{ id: 'a', type: 'function', function: { name: 'x', arguments: '{}' } }] };
    t.match(await ask({ messages: [user('Hi'), unanswered, user('Well?')] }), { status: 400, message: /the call 'a' has no answer/ });
    const headers = { authorization: `Bearer ${token}` };
    const broken = await fetch(`${platform.url}/api/v1/chat/completions`, { method: 'POST', headers, body: '{' });
    t.match([broken.status, await broken.json()], [400, { error: { code: 'invalid_input' } }]);
    for (const stream of [false, true]) {
      model.script((exchange) => exchange.status(401));
      t.match(await ask({ stream }), { status: 502, code: 'model_auth', type: 'server_error', message: /refused the key/ });
      model.script((exchange) => exchange.status(400, { code: 'context_length_exceeded' }));
      t.match(await ask({ stream }), { status: 502, code: 'context_overflow' });
    }
    t.notMatch(JSON.stringify(platform.lines), /sk-test/);
  });
});

t.test('a stream that fails in the middle reports it', async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform);
    model.script((exchange) => exchange.text('Half an ', 'break off'));
    const stream = await client.chat.completions.create({ model: name, messages: [user('Hi')], stream: true });
    let text = '';
    const read = async () => {
      for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    };
    t.match(await errorOf(read()), { code: 'model_error' });
    t.equal(text, 'Half an ');
  });
});

t.test("a client that disconnects ends the work and closes the model's socket", async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform);
    for (const stream of [true, false]) {
      let asked: Exchange | undefined;
      model.script((exchange) => {
        asked = exchange;
        exchange.text('Once upon a time');
      });
      const leave = new AbortController();
      const body = { model: name, messages: [user('Tell me')], stream } as OpenAI.Chat.ChatCompletionCreateParams;
      const work = (async () => {
        const answer = await client.chat.completions.create(body, { signal: leave.signal });
        if (Symbol.asyncIterator in answer) for await (const _ of answer);
      })();
      work.catch(() => undefined);
      await until(() => asked, Boolean);
      await sleep(50);
      const left = performance.now();
      leave.abort();
      await asked?.closed;
      t.ok(performance.now() - left < 200, stream ? 'streamed' : 'whole');
      await work.catch(() => undefined);
      t.notOk(
        platform.lines.some(({ msg }) => msg === 'An answer failed'),
        'the disconnect is not logged as an error',
      );
    }
  });
});
