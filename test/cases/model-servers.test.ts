import t, { type Test } from 'tap';
import type { Message } from '../../extensions/chat/contract.js';
import { connect } from '../../kernel/client/connect.js';
import { direct } from '../../kernel/client/direct.js';
import { agentsOf } from '../extensions/agents/employment.js';
import { ask, bring, tool } from '../extensions/agents/world.js';
import { administrator, type PlatformApi, someone } from '../extensions/chat/world.js';
import { type Exchange, startModelServer } from '../helpers/model-server.js';
import { fixture, ownExtension, startPlatform } from '../helpers/platform.js';
import { answers } from './model-servers/answers.js';
import type { ServerCase, Wanted } from './model-servers/case.js';
import { failures } from './model-servers/failures.js';
import { refusals } from './model-servers/refusals.js';
import { serve } from './model-servers/server.js';
import { toolCalls } from './model-servers/tool-calls.js';

const extensions = [ownExtension('members'), ownExtension('chat'), ownExtension('agents'), fixture('toolsmith')];
const cases = new Map([...refusals, ...answers, ...toolCalls, ...failures].map((each, at): [string, ServerCase] => [`model-${at}`, each]));
const at_once = 6;

interface Gateway {
  status: number;
  content: string;
  refusal: string;
  finish: string | null;
  error: { message: string; code: string } | undefined;
}

interface Outcome {
  chat: { reply: Message; reasoning: string };
  tools: Message;
  whole: Gateway;
  streamed: Gateway;
  exchanges: Exchange[];
  took_ms: number;
}

async function world(t: Test) {
  const model = await startModelServer(t);
  model.script(serve(cases));
  const input = { type: 'object', properties: { n: { type: 'integer', default: 0 } } };
  bring(['look', '2-look'].map((name) => tool(name, () => ({ output: 'It is blue.' }), { input })));
  const platform = await startPlatform(t, { extensions });
  const me = await someone(t, platform);
  const client = connect<PlatformApi>(
    platform.kernel.operations(),
    direct(platform.kernel, await platform.kernel.tokenCaller(me.token, 'direct')),
  );
  return { model, platform, client, agents: agentsOf(platform), token: me.token };
}

type World = Awaited<ReturnType<typeof world>>;

async function gateway({ platform, token }: World, model: string, stream: boolean): Promise<Gateway> {
  const response = await fetch(`${platform.url}/api/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const text = await response.text();
  const chunks = response.headers.get('content-type')?.includes('event-stream')
    ? text.split('\n\n').flatMap((event) => (/^data: \{/.test(event) ? [JSON.parse(event.slice(6))] : []))
    : [JSON.parse(text)];
  const choices = chunks.flatMap((chunk) => chunk.choices ?? []);
  const all = (field: string) => choices.map((choice) => (choice.delta ?? choice.message)?.[field] ?? '').join('');
  return {
    status: response.status,
    content: all('content'),
    refusal: all('refusal'),
    finish: choices.findLast((choice) => choice.finish_reason)?.finish_reason ?? null,
    error: chunks.find((chunk) => chunk.error)?.error,
  };
}

async function outcomeOf(place: World, model: string, { model: settings = {} }: ServerCase): Promise<Outcome> {
  const { platform, client, agents } = place;
  const { id, username } = await administrator(platform).members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  await agents.update({ member_id: id, model: { base_url: place.model.url, model, ...settings } });
  const begun = Date.now();
  const chat = await ask(client, { content: 'Hello', target_id: id });
  const reasoning = chat.events.filter(({ type }) => type === 'reasoning.delta').map(({ data }) => (data as { delta: string }).delta);
  const tools = await ask(client, { content: 'Please use the tool', target_id: id });
  const [whole, streamed] = [await gateway(place, username, false), await gateway(place, username, true)];
  const exchanges = place.model.exchanges.filter(({ body }) => body.model === model);
  return {
    chat: { reply: chat.reply, reasoning: reasoning.join('') },
    tools: tools.reply,
    whole,
    streamed,
    exchanges,
    took_ms: Date.now() - begun,
  };
}

function checkAnswer(t: Test, { chat, tools, whole, streamed, exchanges }: Outcome, wanted: Wanted): void {
  const { text = 'Hello.', reasoning = '', refusal = '', notices = [], finish = 'stop', used = 1, tool: name = 'look' } = wanted;
  t.match(chat.reply, { status: 'completed', content: refusal || text, error: null }, 'chat');
  t.equal(chat.reasoning, reasoning, 'the reasoning is the expected one');
  t.same([...new Set([...chat.reply.notices, ...tools.notices].map(({ code }) => code))], notices, 'notices');
  t.match(tools, { status: 'completed', error: null }, 'the reply with a tool is complete');
  t.not(tools.content, '', 'the reply with a tool is not empty');
  const done = { input: { n: 1 }, output: 'It is blue.', error: null };
  const calls = Array.from({ length: used === 'failed' ? 1 : used }, () => ({ name, ...(used === 'failed' ? { error: String } : done) }));
  t.match(tools.tool_calls, calls, 'the tool was used');
  t.equal(tools.tool_calls.length, calls.length, 'the tool runs once for each request');
  for (const gate of [whole, streamed])
    t.match(gate, { status: 200, content: refusal === '' ? text : '', refusal, finish, error: undefined }, 'the gateway');
  const asked = exchanges.map(({ body }) => JSON.stringify(body));
  if (wanted.asked !== undefined)
    t.ok(
      asked.some((json) => new RegExp(wanted.asked ?? '').test(json)),
      `asked for with ${wanted.asked}`,
    );
  if (wanted.learnt !== undefined) t.notMatch(asked.at(-1), new RegExp(wanted.learnt), 'learnt');
  t.ok(exchanges.length <= 14, `asked ${exchanges.length} times`);
}

function checkFailure(
  t: Test,
  { chat, tools, whole, streamed, exchanges }: Outcome,
  { code, says }: NonNullable<Wanted['fails']>,
  times?: number,
): void {
  for (const { status, error } of [chat.reply, tools]) {
    t.match({ status, code: error?.code }, { status: 'failed', code }, 'chat');
    for (const words of says) t.ok(error?.message.includes(words), `"${error?.message}" says "${words}"`);
  }
  for (const { error } of [whole, streamed]) for (const words of says) t.ok(error?.message.includes(words), `the gateway says "${words}"`);
  if (times !== undefined) t.equal(exchanges.length, times * 4, 'the number of requests is the expected one');
}

t.setTimeout(240_000);
t.test('model servers of many kinds work', { timeout: 240_000 }, async (t) => {
  const place = await world(t);
  const outcomes = new Map<string, Outcome | Error>();
  const left = [...cases];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) {
      const [model, each] = next;
      outcomes.set(model, await outcomeOf(place, model, each).catch((fault: Error) => fault));
    }
  };
  await Promise.all(Array.from({ length: at_once }, worker));
  for (const [model, { name, wanted = {} }] of cases)
    await t.test(name, async (t) => {
      const outcome = outcomes.get(model);
      if (!outcome || outcome instanceof Error) throw outcome ?? new Error('It was not tried');
      if (wanted.fails) checkFailure(t, outcome, wanted.fails, wanted.times);
      else checkAnswer(t, outcome, wanted);
    });
});
