import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { agentsOf, rowsOf } from '../extensions/agents/employment.js';
import { ask, bring, tool } from '../extensions/agents/world.js';
import { administrator, someone, withModel } from '../extensions/chat/world.js';
import type { Exchange, Script } from '../helpers/model-server.js';
import { callTools, say } from '../helpers/model-server.js';
import { fixture, ownExtension, startPlatform } from '../helpers/platform.js';

const extensions = [ownExtension('members'), ownExtension('chat'), ownExtension('agents'), fixture('toolsmith')];

/** Sends comments until the platform has listened for longer than its limit, or has hung up. */
async function comments(exchange: Exchange): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < patient.idle_seconds * 1_200 && !exchange.isClosed) {
    exchange.raw(': still here\n\n');
    await sleep(20);
  }
}

/** A machine with much else to do may be late by less than this. */
const patient = { first_byte_seconds: 2, idle_seconds: 2 };
const impatient = { first_byte_seconds: 1, idle_seconds: 1 };

interface Case {
  name: string;
  /** Default: {@link impatient}. */
  limits?: typeof patient;
  script: Script;
  reply: object;
}

const cases: readonly Case[] = [
  {
    name: 'comments before the first word reset the timeout',
    limits: patient,
    script: async (exchange) => {
      await comments(exchange);
      exchange.text('Hello.');
      exchange.finish();
    },
    reply: { status: 'completed', content: 'Hello.' },
  },
  {
    name: 'comments while a call is buffered reset the timeout',
    limits: patient,
    script: async (exchange) => {
      exchange.text('Hello.');
      await comments(exchange);
      exchange.finish();
    },
    reply: { status: 'completed', content: 'Hello.' },
  },
  {
    name: 'silence from the start reports the limit for the first byte',
    script: () => undefined,
    reply: {
      status: 'failed',
      error: {
        code: 'timeout',
        message: /sent nothing for 1 s\. The limit is limits\.first_byte_seconds of the AI employee, or PLATFORM_MODEL_FIRST_BYTE_S/,
      },
    },
  },
  {
    name: 'silence in the middle reports the limit between bytes',
    script: (exchange) => exchange.text('Hel'),
    reply: {
      status: 'failed',
      content: 'Hel',
      error: {
        code: 'timeout',
        message: /in the middle of its answer\. The limit is limits\.idle_seconds of the AI employee, or PLATFORM_MODEL_IDLE_S/,
      },
    },
  },
];

t.test('a setting limits how long a model server may be silent', async (t) => {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, { extensions, settings: { ...options.settings, 'agents.limits.idle_seconds': 77 } });
  const agents = agentsOf(platform);
  const { id } = await administrator(platform).members.create_virtual({ name: 'Vic', mode: 'autonomous' });
  const me = await someone(t, platform);
  t.match(
    await agents.get({ member_id: id }),
    { limits: { first_byte_seconds: 120, idle_seconds: 77, seconds: 1_800 } },
    "the platform's limits apply",
  );
  await Promise.all(
    cases.map(async ({ name, script, reply, limits = impatient }) => {
      const { id: target_id } = await administrator(platform).members.create_virtual({ name, mode: 'autonomous' });
      await agents.update({ member_id: target_id, limits, model: { model: name } });
      model.script((exchange) => cases.find((each) => each.name === exchange.body.model)?.script(exchange));
      t.match((await ask(me.http, { content: 'Hello', target_id })).reply, reply, `${name}: ${String(script).length}`);
    }),
  );
});

t.test('a tool call truncated by the token limit does not run, and the model is informed', async (t) => {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, { extensions, settings: options.settings ?? {} });
  const done: unknown[] = [];
  bring([tool('look', (input) => ({ output: String(done.push(input)) }))]);
  const me = await someone(t, platform);
  const cut: Script = (exchange) => {
    exchange.toolCall(0, { name: 'look', arguments: '{"path": "/ho' });
    exchange.finish('length');
  };
  model.script(cut, callTools([{ name: 'look', arguments: { path: '/' } }]), say('Done.'));
  const { reply } = await ask(me.http, { content: 'Look' });
  t.match(reply, {
    status: 'completed',
    content: 'Done.',
    tool_calls: [{ error: /was cut off: your answer reached its limit of tokens/ }, { error: null }],
  });
  t.same(done, [{ path: '/' }]);
  t.match(model.exchanges[1]?.body.messages.at(-1), { role: 'tool', content: /^Error: This call was cut off/ });
});

t.test('tool calls are sent with unique ids, even if a model server repeats one', async (t) => {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, { extensions, settings: options.settings ?? {} });
  bring([tool('look', (input) => ({ output: JSON.stringify(input) }))]);
  const me = await someone(t, platform);
  const look = (n: number) => callTools([{ name: 'look', arguments: { n }, id: 'call_0' }]);
  model.script(look(1), look(2), say('Done.'));
  t.match((await ask(me.http, { content: 'Look twice' })).reply, { status: 'completed', content: 'Done.' });
  const messages = model.exchanges[2]?.body.messages ?? [];
  const ids = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
  t.equal(new Set(ids).size, 2);
  t.same(
    messages.flatMap(({ role, tool_call_id, content }) => (role === 'tool' ? [[tool_call_id, content]] : [])),
    [
      [ids[0], '{"n":1}'],
      [ids[1], '{"n":2}'],
    ],
    'each result answers its own call',
  );
});

t.test('earlier tool calls are sent as text to a model server that requires its own signatures', async (t) => {
  const { model, options } = await withModel(t);
  const platform = await startPlatform(t, { extensions, settings: options.settings ?? {} });
  bring([tool('look', () => ({ output: 'blue' }))]);
  const me = await someone(t, platform);
  model.script((exchange) => {
    const calls = exchange.body.messages.flatMap(({ tool_calls = [] }) => tool_calls);
    if (calls.some((call) => !('extra_content' in call)))
      return exchange.status(400, { message: 'Function call is missing a thought_signature' });
    if (exchange.body.messages.at(-1)?.content !== 'Look') return say('Done.')(exchange);
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'look', arguments: '{}' }, extra_content: { signature: 's' } };
    exchange.delta({ tool_calls: [call] });
    return exchange.finish('tool_calls');
  });
  const { sent, reply } = await ask(me.http, { content: 'Look' });
  t.match(reply, { status: 'completed', content: 'Done.', tool_calls: [{ output: 'blue' }] });
  t.match((await ask(me.http, { content: 'And now?', session_id: sent.session_id })).reply, { status: 'completed', content: 'Done.' });
  t.match(JSON.stringify(model.exchanges.at(-1)?.body.messages), /I used the tool look.*The tool look answered.*blue/);
});

t.test("a run's limit is a platform setting for AI employees without their own", async (t) => {
  const platform = await startPlatform(t, { extensions, settings: { 'agents.limits.seconds': 7_200 } });
  const agents = agentsOf(platform);
  const { id } = await administrator(platform).members.create_virtual({ name: 'Vic' });
  t.match(await agents.update({ member_id: id, limits: { steps: 9 } }), { limits: { steps: 9, seconds: 7_200 } });
  const [row] = (await rowsOf(t, platform)).get('agents_settings') ?? [];
  t.match(row, /steps/);
  t.notMatch(row, /seconds/, 'the default is not stored with the employee');
  t.match(await agents.update({ member_id: id, limits: { seconds: 60 } }), { limits: { steps: 9, seconds: 60 } });
});
