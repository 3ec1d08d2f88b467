import fc from 'fast-check';
import t from 'tap';
import { readCompletion as readJson } from '../../../../extensions/agents/openai/completion.js';
import { isFailure } from '../../../../kernel/contract/index.js';

const good = { model: 'ada', messages: [{ role: 'user', content: 'Hi' }] };

/** Values that JSON can't represent read as null. */
const readCompletion = (body: unknown) => readJson(JSON.stringify(body) ?? 'null');

function faultOf(body: unknown): string | undefined {
  try {
    readCompletion(body);
    return undefined;
  } catch (fault) {
    if (!isFailure(fault)) throw fault;
    return fault.details?.[0]?.path;
  }
}

t.test("reads clients' requests: parts, roles, calls and their results", async (t) => {
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } };
  const read = readCompletion({
    ...good,
    temperature: 0.2,
    stream: true,
    stream_options: { include_usage: true },
    tools: [{ type: 'function', function: { name: 'look' } }],
    messages: [
      { role: 'developer', content: 'Be brief.' },
      { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What' },
          { type: 'text', text: 'is it?' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'blue' },
    ],
  });
  t.same(read, {
    model: 'ada',
    notes: 'Be brief.\n\nBe kind.',
    prompts: [
      { role: 'user', content: 'What\nis it?' },
      { role: 'assistant', content: '', tool_calls: [{ id: 'c1', name: 'look', arguments: '{"at":"sky"}' }] },
      { role: 'tool', content: 'blue', tool_call_id: 'c1' },
    ],
    tools: [{ name: 'look', description: '', input: { type: 'object', properties: {} } }],
    stream: true,
    include_usage: true,
  });
  t.same(readCompletion({ ...good, tools: [{ type: 'function', function: { name: 'look' } }], tool_choice: 'none' }).tools, []);
});

t.test('texts are limited, and images have a separate limit', async (t) => {
  const asking = (content: unknown, more: object = {}) => ({ ...good, messages: [{ role: 'user', content }], ...more });
  const url = `data:image/png;base64,${Buffer.alloc(3 * 1024 * 1024).toString('base64')}`;
  const image = { type: 'image_url', image_url: { url } };
  const half = 'x'.repeat(600_000);
  t.equal(readCompletion(asking([image, { type: 'text', text: half }])).prompts[0]?.images?.length, 1);
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', description: half } } }];
  for (const body of [asking(half + half), asking([image, { type: 'text', text: half + half }]), asking(half, { tools })])
    t.throws(() => readCompletion(body), { code: 'payload_too_large', status: 413 });
});

t.test('each fault of a request is reported with its path', async (t) => {
  const faults: [object, string][] = [
    [{ model: 7 }, 'model'],
    [{ messages: 'Hi' }, 'messages'],
    [{ messages: [{ role: 'system', content: 'alone' }] }, 'messages'],
    [{ messages: [7] }, 'messages.0'],
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user', content: [{ type: 'input_audio' }] }] }, 'messages.0.content'],
    [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_url: 'http://x' } }] }] }, 'messages.0.content.0.file'],
    [{ messages: [{ role: 'user', content: [{ type: 'file', file: { file_data: '' } }] }] }, 'messages.0.content.0.file.file_data'],
    [{ messages: [{ role: 'system', content: [{ type: 'file', file: { file_data: 'eA==' } }] }] }, 'messages.0.content'],
    [{ messages: [{ role: 'assistant', tool_calls: [] }] }, 'messages.0.tool_calls'],
    [{ messages: [{ role: 'assistant', tool_calls: [{ id: '' }] }] }, 'messages.0.tool_calls.0'],
    [{ tools: {} }, 'tools'],
    [{ tools: [{ type: 'web' }] }, 'tools.0'],
    [{ tools: [{ type: 'function', function: { name: 'x', parameters: [] } }] }, 'tools.0.function.parameters'],
    [{ tool_choice: 'required' }, 'tool_choice'],
    [{ functions: [] }, 'functions'],
  ];
  for (const [change, path] of faults) t.equal(faultOf({ ...good, ...change }), path, JSON.stringify(change));
});

t.test('any input is either accepted or rejected with a failure', async (t) => {
  const roles = fc.constantFrom('system', 'user', 'assistant', 'tool', 'x');
  const message = fc.record(
    { role: roles, content: fc.anything(), tool_calls: fc.anything(), tool_call_id: fc.anything() },
    { requiredKeys: [] },
  );
  const body = fc.record(
    { model: fc.string(), messages: fc.array(message), tools: fc.anything(), tool_choice: fc.anything() },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything(), body), (sent) => {
      faultOf(sent);
      return true;
    }),
    { numRuns: 2_000 },
  );
  t.pass();
});
