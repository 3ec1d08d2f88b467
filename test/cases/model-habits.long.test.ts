import t, { type Test } from 'tap';
import { migrations } from '../../extensions/agents/migrations/index.js';
import { HabitStore } from '../../extensions/agents/model/habits.js';
import { defineModels } from '../../extensions/agents/models.js';
import type { Message } from '../../extensions/chat/contract.js';
import type { Log } from '../../kernel/contract/index.js';
import { agentsOf } from '../extensions/agents/employment.js';
import { ask, bring, onOneAndTwo, type Place, tool, withTools } from '../extensions/agents/world.js';
import { administrator, login, type PlatformClient, someone, withModel } from '../extensions/chat/world.js';
import { eachDatabase } from '../helpers/databases.js';
import { type Exchange, type Script, say } from '../helpers/model-server.js';
import { startPlatform } from '../helpers/platform.js';
import { checkOf } from '../kernel/platform/checks/world.js';

const refuseTools: Script = (exchange) =>
  exchange.body.tools ? exchange.status(400, { message: 'small-model does not support tools' }) : say('Hello.')(exchange);

async function employed(t: Test, { model, platforms: [first, second] }: Place) {
  bring([tool('look', () => ({ output: 'blue' }))]);
  model.script(refuseTools);
  const { id } = await administrator(first).members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  const agents = agentsOf(first);
  await agents.update({ member_id: id, model: { base_url: model.url, model: 'small-model' } });
  const me = await someone(t, first);
  const other = await login(t, second, me.name);
  const talk = (client: PlatformClient, session_id?: string) =>
    ask(client, session_id === undefined ? { content: 'Hello', target_id: id } : { content: 'And now?', session_id });
  return { id, agents, me, other, talk };
}

const noticesOf = ({ notices }: Message) => notices.map(({ code }) => code);
const offered = (exchanges: readonly Exchange[]) => exchanges.map(({ body }) => body.tools !== undefined);

t.test('a missing feature of a model server is detected once for all instances, and reported', async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { id, agents, me, other, talk } = await employed(t, place);
    const { model } = place;
    const first = await talk(me.http);
    t.match(first.reply, { status: 'completed', content: 'Hello.' });
    t.match(first.reply.notices, [
      { code: 'no_tools', message: /'small-model' at .* does not accept tools \(the server said: small-model does not support tools\)/ },
    ]);
    t.same(
      first.events.filter(({ type }) => type === 'message.notice').map(({ data }) => (data as { notice: { code: string } }).notice.code),
      ['no_tools'],
      'while it is read',
    );
    t.same(offered(model.exchanges), [true, false]);

    const elsewhere = await talk(other);
    t.same(offered(model.exchanges), [true, false, false], 'another instance knows the feature too');
    t.same(noticesOf(elsewhere.reply), ['no_tools'], 'another conversation gets the remark too');
    t.same(noticesOf((await talk(me.http, first.sent.session_id)).reply), [], 'one conversation gets the remark only once');

    const [habit] = (await agents.get({ member_id: id })).model_habits;
    t.match(habit, { base_url: model.url, model: 'small-model', feature: 'tools', message: 'small-model does not support tools' });
    t.equal(Date.parse(habit?.expires_at ?? '') - Date.parse(habit?.learnt_at ?? ''), 86_400_000, 'for a day');
    t.match((await checkOf(place.platforms[0], 'model'))?.message, /Learnt: 'small-model' at 127\.0\.0\.1:\d+ lacks tools/);
  });
});

t.test('the check names each missing feature of a server once, and each endpoint by its own address', async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { agents, me } = await employed(t, place);
    const [platform] = place.platforms;
    const origin = new URL(place.model.url).origin;
    const urls = [`${origin}/one/v1`, `${origin}/two/v1`, `${origin}/two/v1`];
    for (const base_url of urls) {
      const { id } = await administrator(platform).members.create_virtual({ name: 'Vic', mode: 'autonomous' });
      await agents.update({ member_id: id, model: { base_url, model: 'small-model' } });
      await ask(me.http, { content: 'Hello', target_id: id });
    }
    const { message = '' } = (await checkOf(platform, 'model')) ?? {};
    t.match(message, `Learnt: 'small-model' at ${origin}/one/v1 lacks tools. Learnt: 'small-model' at ${origin}/two/v1 lacks tools`);
    t.equal(message.split('tools').length - 1, 2, 'each feature is named once');
  });
});

t.test('a server that ends reasoning without opening it is detected from its first answer', async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { model } = place;
    const { id, agents, talk, me } = await employed(t, place);
    const thoughts = ['We are gree', 'ted.</th', 'ink>\n\nHel', 'lo.'];
    model.script((exchange) => {
      for (const piece of thoughts) exchange.text(piece);
      exchange.finish();
    });
    const first = await talk(me.http);
    t.match(first.reply, { status: 'completed', content: /Hello\.$/ });
    const second = await talk(me.http, first.sent.session_id);
    t.match(second.reply, { status: 'completed', content: 'Hello.' });
    const reasoning = second.events.filter(({ type }) => type === 'reasoning.delta').map(({ data }) => (data as { delta: string }).delta);
    t.equal(reasoning.join(''), 'We are greeted.');
    t.match((await agents.get({ member_id: id })).model_habits, [{ feature: 'opened_reasoning' }]);

    model.script(say('Without a thought.'));
    t.match((await talk(me.http, first.sent.session_id)).reply, { status: 'completed', content: 'Without a thought.' });
  });
});

t.test('a text that quotes reasoning tags has no effect', async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { model } = place;
    const { id, agents, talk, me } = await employed(t, place);
    for (const text of ['The end is `</think>`.', 'So:\n```\nx\n</think>\n```\n', 'First <think>, then </think>.']) {
      model.script((exchange) => {
        for (const piece of text.match(/.{1,5}/gs) ?? []) exchange.text(piece);
        exchange.finish();
      });
      t.match((await talk(me.http)).reply, { status: 'completed', content: text });
    }
    t.same((await agents.get({ member_id: id })).model_habits, []);
  });
});

t.test("a change of an AI employee's models resets what was detected, and a setting takes precedence", async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { id, agents, me, talk } = await employed(t, place);
    const { model } = place;
    await talk(me.http);
    t.equal((await agents.update({ member_id: id, name: 'Victor' })).model_habits.length, 1, 'another change keeps the detected features');
    t.same((await agents.update({ member_id: id, model: { max_tokens: 300 } })).model_habits, []);
    const before = model.exchanges.length;
    await talk(me.http);
    t.same(offered(model.exchanges.slice(before)), [true, false], 'the feature is tried again');
    t.match(model.exchanges.at(-1)?.body, { max_tokens: 300 });

    await agents.update({ member_id: id, model: { features: { tools: true } } });
    const failed = await talk(me.http);
    t.match(failed.reply, {
      status: 'failed',
      error: { code: 'model_error', message: /small-model does not support tools.*model\.features/ },
    });
    await agents.update({ member_id: id, model: { features: { tools: false } } });
    const count = model.exchanges.length;
    t.match((await talk(me.http)).reply, { status: 'completed', notices: [{ code: 'no_tools', message: /its settings say so/ }] });
    t.same(offered(model.exchanges.slice(count)), [false]);
    t.same((await agents.get({ member_id: id })).model_habits, [], 'a configured feature is not detected');
    await t.rejects(agents.update({ member_id: id, model: { features: { tols: false } as never } }), { code: 'unknown_field' });
  });
});

t.test('a feature is not recorded as missing if omitting it did not help', async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { id, agents, me, talk } = await employed(t, place);
    place.model.script((exchange) => exchange.status(400, { message: 'tools are not supported, and today nothing else is' }));
    t.match((await talk(me.http)).reply, { status: 'failed', error: { code: 'model_error' } });
    t.ok(place.model.exchanges.length < 10, 'the requests are limited');
    t.same((await agents.get({ member_id: id })).model_habits, []);
  });
});

t.test('a strict server accepts the next message after a failed or stopped reply', async (t) => {
  await onOneAndTwo(t, async (t, place) => {
    const { me, talk } = await employed(t, place);
    const strict: Script = (exchange) => {
      const roles = exchange.body.messages.map(({ role }) => role).join();
      return /user,user|assistant,assistant/.test(roles) ? exchange.status(400, { message: 'No.' }) : say('Hello.')(exchange);
    };
    place.model.script((exchange) => exchange.status(401));
    const failed = await talk(me.http);
    t.equal(failed.reply.status, 'failed');
    place.model.script(() => undefined);
    const { session_id } = failed.sent;
    const sent = await me.http.chat.send({ content: 'Wait', session_id });
    while (place.model.exchanges.at(-1)?.body.messages.at(-1)?.content !== 'Wait') await new Promise((resolve) => setTimeout(resolve, 20));
    await me.http.chat.abort({ message_id: sent.message_id });
    place.model.script(strict);
    t.match((await talk(me.http, session_id)).reply, { status: 'completed', content: 'Hello.' });
  });
});

t.test('a detection expires after a day', async (t) => {
  await eachDatabase(t, async (t, data) => {
    await data.migrate('agents', migrations);
    const clock = { time: Date.parse('2030-01-01T00:00:00.000Z'), now: () => clock.time, iso: () => new Date(clock.time).toISOString() };
    const db = data.facade('agents');
    const habits = new HabitStore(db, defineModels(db).habits, { clock, log: {} as Log });
    const endpoint = { base_url: 'https://ada:word@h/v1/', name: 'm' };
    await habits.learn(endpoint, new Map([['images', 'no']]));
    await habits.learn(endpoint, new Map([['images', 'still no']]));
    t.same([...(await habits.known({ base_url: 'https://ada:word@h/v1', name: 'm' }))], [['images', 'still no']]);
    t.match(await habits.all(), [{ base_url: 'https://h/v1', feature: 'images' }], 'without the credentials');
    t.same([...(await habits.known({ base_url: 'https://h/v1', name: 'n' }))], []);
    clock.time += 86_400_000;
    t.same([...(await habits.known(endpoint))], []);
    t.equal(await habits.sweep(), 1);
  });
});

t.test('a tool that was not offered never runs, and calling such tools ends the run', async (t) => {
  const { model, options } = await withModel(t);
  let uses = 0;
  const use = () => {
    uses += 1;
    return { output: 'blue' };
  };
  bring([tool('look', use), tool('other', use)]);
  const platform = await startPlatform(t, { ...withTools, ...options });
  const calls: Script = (exchange) => {
    if (exchange.body.tools) return exchange.status(400, { message: 'small-model does not support tools' });
    exchange.toolCall(0, { name: 'look' });
    return exchange.finish('tool_calls');
  };
  model.script(calls);
  const { id } = await administrator(platform).members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  await agentsOf(platform).update({ member_id: id, model: { base_url: model.url, model: 'small-model' } });
  const { http } = await someone(t, platform);
  const { reply } = await ask(http, { content: 'Hello', target_id: id });
  t.equal(uses, 0, 'no tool has run');
  t.match(reply, { status: 'failed', error: { code: 'model_error', message: /only calls tools that were not offered/ } });
  t.ok(model.exchanges.length <= 6, `asked ${model.exchanges.length} times`);
  for (const { error } of reply.tool_calls) t.match(error, /Unknown tool 'look'/);
});
