import type { OpenAI } from 'openai';
import t from 'tap';
import { say } from '../../../helpers/model-server.js';
import { adminPassword, startPlatform } from '../../../helpers/platform.js';
import { administrator, login } from '../../chat/world.js';
import { clientOf, eachWorld, employee, errorOf, user } from './world.js';

t.test('the models are the AI employees', async (t) => {
  await eachWorld(t, async (t, { platform, client }) => {
    const name = await employee(platform);
    const { data } = await client.models.list();
    t.ok(data.some(({ id }) => id === name));
    t.match(await client.models.retrieve(name), { id: name, object: 'model', owned_by: 'platform', name: 'Vic' });
    const [first] = await administrator(platform).members.list_virtual({});
    t.equal((await client.models.retrieve(String(first?.id))).id, first?.username, 'a model can be named by the member id too');
    t.match(await errorOf(client.models.retrieve('gpt-none')), { status: 404, code: 'model_not_found', type: 'invalid_request_error' });
  });
});

t.test('a whole answer: the employee’s instructions come first, then all messages', async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform);
    model.script((exchange) => {
      exchange.delta({ reasoning_content: 'Hm. ' });
      exchange.text('Good ');
      exchange.text('day é.');
      exchange.delta({}, 'stop');
      exchange.usage(12, 3);
      exchange.end();
    });
    const answer = await client.chat.completions.create({
      model: name,
      messages: [{ role: 'system', content: 'Be brief.' }, user('Hello'), { role: 'assistant', content: 'Yes?' }, user('How are you?')],
    });
    t.match(answer, {
      id: /^chatcmpl-/,
      object: 'chat.completion',
      model: name,
      choices: [{ index: 0, message: { role: 'assistant', content: 'Good day é.', reasoning_content: 'Hm. ' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
    });
    t.match(model.exchanges.at(-1)?.body.messages, [
      { role: 'system', content: /You are Vic, .*Accountant[\s\S]*The client program adds:\nBe brief\./ },
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Yes?' },
      { role: 'user', content: 'How are you?' },
    ]);
  });
});

t.test('a streaming answer sends each piece as it arrives, byte for byte', async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform);
    const pieces = ['Zwölf ', '漢字 ', '😀\n', 'data: [DONE]\n\n', '"end"'];
    let next: () => void = () => undefined;
    model.script(async (exchange) => {
      for (const piece of pieces) {
        const read = new Promise<void>((resolve) => {
          next = resolve;
        });
        exchange.text(piece);
        await read;
      }
      exchange.delta({}, 'stop');
      exchange.usage(5, 6);
      exchange.end();
    });
    const asked = { model: name, messages: [user('Hi')], stream: true as const, stream_options: { include_usage: true } };
    const chunks: OpenAI.Chat.ChatCompletionChunk[] = [];
    for await (const chunk of await client.chat.completions.create(asked)) {
      chunks.push(chunk);
      if (chunk.choices[0]?.delta.content) next();
    }
    t.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join(''), pieces.join(''));
    t.equal(chunks[0]?.choices[0]?.delta.role, 'assistant');
    t.same(
      chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? []),
      ['stop'],
    );
    t.match(chunks.at(-1), { object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: 5, completion_tokens: 6 } });
    t.equal(new Set(chunks.map(({ id }) => id)).size, 1);
  });
});

t.test('an image in the request reaches the model', async (t) => {
  await eachWorld(t, async (t, { platform, model, client }) => {
    const name = await employee(platform);
    model.script(say('A dot.'));
    const url = 'data:image/png;base64,iVBORw0KGgo=';
    const content = [
      { type: 'text' as const, text: 'What is it?' },
      { type: 'image_url' as const, image_url: { url } },
    ];
    await client.chat.completions.create({ model: name, messages: [{ role: 'user', content }] });
    const parts = model.exchanges.at(-1)?.body.messages.at(-1)?.content;
    t.match(parts, [
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url } },
    ]);
  });
});

t.test('without a model the offline responder answers with its commands', async (t) => {
  const platform = await startPlatform(t);
  const { token } = await login(t, platform, 'admin', adminPassword);
  const client = clientOf(platform, token);
  const [{ id: model } = { id: '' }] = (await client.models.list()).data;
  let text = '';
  for await (const { choices } of await client.chat.completions.create({ model, messages: [user('Hi')], stream: true })) {
    text += choices[0]?.delta.content ?? '';
  }
  t.match(text, /no model is configured/);
  const called = await client.chat.completions.create({ model, messages: [user('/call members.list {"keyword": "admin"}')] });
  t.match(called.choices[0]?.message.content, /"username": "admin"/);
});
