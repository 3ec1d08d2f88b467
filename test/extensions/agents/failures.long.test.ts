import t from 'tap';
import { callTools, type Script, say, startModelServer } from '../../helpers/model-server.js';
import { onEachPlatform, someone, textOf } from '../chat/world.js';
import { agentsOf, employ } from './employment.js';

const key = 'sk-the-key-itself';
const told = { message: `Incorrect API key provided: ${key}` };

interface Case {
  code: string;
  script: Script;
  /** The advice or reason in the message. */
  sentence: RegExp;
  content?: string;
}

const cases: Record<string, Case> = {
  'a key that is refused': {
    code: 'model_auth',
    script: (e) => e.status(401, told),
    sentence: /refused the key: 401 .*An administrator must check model\.api_key in the settings of AI employee \d+/,
  },
  'a key that may not': { code: 'model_auth', script: (e) => e.status(403, told), sentence: /refused the key/ },
  'no credit': {
    code: 'model_quota',
    script: (e) => e.status(429, { ...told, code: 'insufficient_quota' }),
    sentence: /has no credit left for this key/,
  },
  'payment required': { code: 'model_quota', script: (e) => e.status(402, told), sentence: /has no credit left for this key/ },
  'too many questions': {
    code: 'model_rate_limited',
    script: (e) => e.status(429, told, { 'retry-after': '3600' }),
    sentence: /is asked too often with this key/,
  },
  'a conversation that is too long': {
    code: 'context_overflow',
    script: (e) => e.status(400, { ...told, code: 'context_length_exceeded' }),
    sentence: /can't take a conversation of this length/,
  },
  'a model that is not there': {
    code: 'model_error',
    script: (e) => e.status(404, { message: 'model not found' }),
    sentence: /'m' at 127\.0\.0\.1:\d+ gave no usable answer: 404 model not found\. Check model\.model in the settings/,
  },
  'a page in place of an answer': {
    code: 'model_error',
    script: (e) => e.answer('text/html', '<html>'),
    sentence: /a web page .*answered instead of a model.*Check model\.base_url/,
  },
  'a malformed chunk': { code: 'model_error', script: (e) => e.raw(`data: {"${key}\n\n`), sentence: /sent something that is not JSON/ },
  'an answer that breaks off': {
    code: 'model_error',
    script: (e) => e.text('Half', 'break off'),
    sentence: /its answer broke off/,
    content: 'Half',
  },
  'an error in the middle': {
    code: 'model_auth',
    script: (e) => {
      e.text('Half');
      e.raw(`data: ${JSON.stringify({ error: told })}\n\n`);
      e.close();
    },
    sentence: /refused the key/,
    content: 'Half',
  },
  'an answer that is filtered': {
    code: 'model_error',
    script: (e) => e.delta({}, 'content_filter'),
    sentence: /stopped its answer by a filter \(content_filter\)/,
  },
  'a server that is overloaded': {
    code: 'model_unavailable',
    script: (e) => e.status(503, told),
    sentence: /can't be reached or is overloaded/,
  },
  'a server that hangs': { code: 'timeout', script: () => undefined, sentence: /longer than 2 s, which is this AI employee's limit/ },
  'a server that falls silent': { code: 'timeout', script: (e) => e.text('Half'), sentence: /longer than 2 s/, content: 'Half' },
};

t.test('each failure of a model has its code and advice, and the key is never revealed', async (t) => {
  await onEachPlatform(t, async (t, { platform }) => {
    const agents = agentsOf(platform);
    const ada = (await someone(t, platform)).http;
    await Promise.all(
      Object.entries(cases).map(async ([name, { code, script, sentence, content = '' }]) => {
        const server = await startModelServer(t);
        server.script(script);
        const { member_id, talk } = await employ(platform);
        const seconds = code === 'timeout' ? 2 : 60;
        await agents.update({ member_id, model: { base_url: server.url, api_key: key, model: 'm' }, limits: { seconds } });
        const begun = Date.now();
        const { reply, sent, events } = await talk(ada);
        t.equal(textOf(events), reply.content, `${name}: the joined deltas`);
        t.match(reply, { status: 'failed', content, error: { code, message: sentence } }, name);
        t.match(await ada.tasks.get({ task_id: sent.task_id as string }), { status: 'failed', reason: code }, name);
        t.ok(Date.now() - begun < 20_000, `${name}: the run ends in time`);
        await server.exchanges.at(-1)?.closed;
        t.notMatch(JSON.stringify(reply), new RegExp(key), name);
        server.script(say('Well.'));
        t.match((await talk(ada)).reply, { status: 'completed', content: 'Well.' }, `${name}: the next message is answered`);
      }),
    );
    t.notMatch(JSON.stringify(platform.lines), new RegExp(key), 'the key is in no log line');
  });
});

t.test("an AI employee's limits end its run", async (t) => {
  await onEachPlatform(t, async (t, { platform, model }) => {
    const agents = agentsOf(platform);
    const ada = (await someone(t, platform)).http;
    const { member_id, talk } = await employ(platform);
    const again: Script = async (exchange) => {
      await callTools([{ name: 'members_list', arguments: {} }])(exchange);
    };
    model.script(again);
    await agents.update({ member_id, limits: { steps: 2 } });
    t.match((await talk(ada)).reply, { status: 'failed', error: { code: 'step_limit' }, tool_calls: [{}, {}] });
    await agents.update({ member_id, limits: { steps: 50, tokens: 10 } });
    t.match((await talk(ada)).reply, { status: 'failed', error: { code: 'token_limit' }, tool_calls: [{}] });
    await agents.update({ member_id, limits: { tokens: 1_000_000 }, tools: [] });
    const before = model.exchanges.length;
    model.script(say('No tools.'));
    await talk(ada);
    t.equal(model.exchanges[before]?.body.tools, undefined, 'the model is offered only its allowed tools');
  });
});
