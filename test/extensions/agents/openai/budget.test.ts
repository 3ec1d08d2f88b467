import t from 'tap';
import { sayFor } from '../../../helpers/model-server.js';
import { agentsOf, employ } from '../employment.js';
import { eachWorld, errorOf, user } from './world.js';

t.test('requests of OpenAI clients use the employee’s settings and count against its daily budget', async (t) => {
  await eachWorld(t, async (t, { platform, model, client, token }) => {
    const agents = agentsOf(platform);
    const { member_id } = await employ(platform);
    await agents.update({ member_id, instructions: 'Speak like a pirate.', tools: ['members.list'], limits: { tokens_per_day: 100 } });
    const ask = (stream = false) => client.chat.completions.create({ model: String(member_id), messages: [user('Hi')], stream });
    model.script(sayFor(60, 50));
    const { id } = (await ask()) as { id: string };
    t.match(model.exchanges.at(-1)?.body.messages[0]?.content, /Speak like a pirate\./);
    t.same(
      model.exchanges.at(-1)?.body.tools?.map(({ function: { name } }) => name),
      ['members_list'],
    );
    t.match(await agents.usage({ member_id }), { input_tokens: 60, output_tokens: 50, replies: 1, budget: { used: 110, paused: true } });
    t.match(await agents.usage_replies({ member_id, limit: 1 }), [{ message_id: id }]);
    const asked = model.exchanges.length;
    for (const stream of [false, true])
      t.match(await errorOf(Promise.resolve(ask(stream))), { status: 429, code: 'token_limit', type: 'insufficient_quota' });
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ model: String(member_id), messages: [user('Hi')] });
    const refused = await fetch(`${platform.url}/api/v1/chat/completions`, { method: 'POST', headers, body });
    t.match([refused.headers.get('retry-after'), refused.headers.get('x-should-retry')], [/^\d+$/, 'false']);
    t.equal(model.exchanges.length, asked, 'the model is not requested');
  });
});

t.test('failures tell clients not to retry, so that nothing runs twice', async (t) => {
  await eachWorld(t, async (t, { platform, model, token }) => {
    const { member_id } = await employ(platform);
    model.script((exchange) => exchange.status(401));
    const headers = { authorization: `Bearer ${token}` };
    const body = JSON.stringify({ model: String(member_id), messages: [user('Hi')] });
    const answer = await fetch(`${platform.url}/api/v1/chat/completions`, { method: 'POST', headers, body });
    t.same([answer.status, answer.headers.get('x-should-retry')], [502, 'false']);
  });
});
