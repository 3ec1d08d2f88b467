import t from 'tap';
import { ask, bring, pair, tool } from '../extensions/agents/world.js';
import { fixture, ownExtension, startPlatform } from '../helpers/platform.js';
import { type CallCase, operationCalls, ownToolCalls } from './fields/models.js';

const extensions = [ownExtension('members'), ownExtension('chat'), ownExtension('agents'), fixture('toolsmith')];

const text = { type: 'string' };
const scales = tool('weigh', (input) => ({ output: JSON.stringify(input) }), {
  input: {
    type: 'object',
    properties: {
      grams: { type: 'number' },
      unit: text,
      note: { type: ['string', 'null'] },
      tag: { anyOf: [text, { type: 'null' }] },
      box: { type: 'object', properties: { width: { type: 'number' }, depth: { type: 'number' } } },
      parts: { type: 'array', items: { type: 'object', properties: { name: text } } },
    },
    required: ['grams'],
    additionalProperties: false,
  },
});
const anything = tool('open_tool', (input) => ({ output: JSON.stringify(input) }));

/** The result of a call as a model gets it. */
interface Result {
  text: string;
  fails: boolean;
}

t.test('arguments of model calls are accepted or rejected', async (t) => {
  bring([scales, anything]);
  const platform = await startPlatform(t, { extensions });
  const { ada, target_id } = await pair(t, platform, 'autonomous');

  const byEmployee = async ({ tool: name, input }: CallCase): Promise<Result> => {
    const { reply } = await ask(ada.http, { content: `/call ${name} ${JSON.stringify(input)}`, target_id });
    const called = reply.tool_calls[0];
    return { text: `${called?.output ?? ''}${called?.error ?? ''}`, fails: called?.error !== null };
  };
  const byMcp = async ({ tool: name, input }: CallCase): Promise<Result> => {
    const headers = {
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
    const answer = await (await fetch(`${platform.url}/api/mcp`, { method: 'POST', headers, body })).text();
    const { result } = JSON.parse(/^data: (.*)$/m.exec(answer)?.[1] ?? answer) as {
      result: { isError?: boolean; content: { text: string }[] };
    };
    return { text: result.content[0]?.text ?? '', fails: result.isError === true };
  };
  const doors = { 'an AI employee': byEmployee, MCP: byMcp };

  for (const [door, call] of Object.entries(doors))
    for (const one of door === 'MCP' ? operationCalls : [...operationCalls, ...ownToolCalls])
      await t.test(`${door}: ${one.name} (${one.source})`, async (t) => {
        const result = await call(one);
        t.ok(result.text.includes(one.says), result.text);
        t.equal(result.fails, one.fails ?? false);
      });
});
