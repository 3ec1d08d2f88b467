import { called, look, piece, type ServerCase, whole } from './case.js';

const finish = piece({}, 'tool_calls');
const stop = piece({}, 'stop');
const calls = (...fragments: object[]) => fragments.map((fragment) => piece({ tool_calls: [fragment] }));

/** Servers that write tool calls in their own way. */
export const toolCalls: readonly ServerCase[] = [
  {
    name: 'a call without an index is accepted',
    source: 'ollama/ollama#7881',
    call: { events: [...calls({ id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }), finish] },
  },
  {
    name: 'indexes may begin at 1',
    source: 'the rule: an index tells calls apart, whatever its value',
    call: { events: [...calls(called({ index: 1 })), finish] },
  },
  {
    name: 'an id that comes in the first fragment alone is enough',
    source: 'https://platform.openai.com/docs/api-reference/chat/streaming',
    call: {
      events: [
        ...calls(
          called({}, { arguments: '' }),
          { index: 0, function: { arguments: '{"n"' } },
          { index: 0, function: { arguments: ':1}' } },
        ),
        finish,
      ],
    },
  },
  {
    name: 'an empty call id counts as missing',
    source: 'continuedev/continue#13225',
    call: { events: [...calls(called({ id: '' })), finish] },
  },
  {
    name: 'a name repeated in each fragment counts once',
    source: '1CatAI/1Cat-vLLM#240',
    call: { events: [...calls(called({}, { arguments: '{"n"' }), called({}, { arguments: ':1}' })), finish] },
  },
  {
    name: 'arguments that come before the name belong to it',
    source: 'vercel/ai#14722',
    call: {
      events: [
        ...calls({ index: 0, id: 'a', function: { arguments: '{"n":1}' } }, { index: 0, id: 'a', function: { name: 'look' } }),
        finish,
      ],
    },
  },
  {
    name: 'arguments may be an object',
    source: 'ggml-org/llama.cpp#20198',
    call: { events: [...calls(called({}, { arguments: { n: 1 } })), finish] },
  },
  {
    name: 'doubly encoded arguments are decoded twice',
    source: 'the rule: a text that holds a JSON object stands for it',
    call: { events: [...calls(called({}, { arguments: '"{\\"n\\":1}"' })), finish] },
  },
  {
    name: 'a call that finishes with stop runs',
    source: 'sgl-project/sglang#2877',
    call: { events: [...calls(called()), piece({}, 'stop')] },
  },
  {
    name: 'a call with an unknown finish reason runs',
    source: 'https://docs.anthropic.com/en/api/openai-sdk',
    call: { events: [...calls(called()), piece({}, 'tool_call')] },
  },
  {
    name: 'a call in the older form function_call is accepted',
    source: 'https://platform.openai.com/docs/api-reference/chat/object',
    call: {
      events: [
        piece({ function_call: { name: 'look', arguments: '{"n":' } }),
        piece({ function_call: { arguments: '1}' } }),
        piece({}, 'function_call'),
      ],
    },
  },
  {
    name: 'a call sent as an object instead of a list is accepted',
    source: 'the rule: one thing in place of a list of it is a list of one',
    call: { events: [piece({ tool_calls: called() }), finish] },
  },
  {
    name: 'a call in an unstreamed answer is accepted',
    source: 'https://docs.vllm.ai/en/stable/features/tool_calling.html',
    call: {
      type: 'application/json',
      before: '',
      after: '',
      done: false,
      events: [whole({ content: null, tool_calls: [called()] }, 'tool_calls')],
    },
  },
  {
    name: 'a call beside an empty text and null fields is accepted',
    source: 'sgl-project/sglang#3912',
    call: { events: [piece({ role: null, content: '', reasoning_content: null, tool_calls: [called()] }), finish] },
  },
  {
    name: 'the last fragment may come with the finish reason',
    source: 'vllm-project/vllm#44098',
    call: { events: [piece({ tool_calls: [called()] }, 'tool_calls')] },
  },
  {
    name: 'an id that repeats in each answer is made unique',
    source: 'vllm-project/vllm#50295',
    call: { events: [...calls(called({ id: 'call_0' }, { arguments: '{"n":1}' })), finish] },
    refuses: [{ has: '"id":"call_0".*"id":"call_0"', body: { error: { message: 'Duplicate tool call id call_0' } } }],
  },
  {
    name: 'a second call with the index and id of the first stays separate',
    source: 'BerriAI/litellm#33678',
    call: { events: [...calls(called({ id: 'a' })), ...look.events.slice(1)] },
  },
  {
    name: 'a call in another choice than the text is accepted',
    source: 'ericc-ch/copilot-api#81',
    call: {
      events: [
        {
          choices: [
            { index: 0, delta: { content: 'I look.' }, finish_reason: 'tool_calls' },
            { index: 1, delta: { tool_calls: [called()] }, finish_reason: 'tool_calls' },
          ],
        },
      ],
    },
  },
  {
    name: 'an empty object before the input is ignored',
    source: 'openai/openai-agents-js#712',
    call: { events: [...calls(called({}, { arguments: '{}' }), { index: 0, function: { arguments: '{"n":1}' } }), finish] },
  },
  {
    name: 'an input repeated at the end counts once',
    source: 'vllm-project/vllm#51697',
    call: {
      events: [...calls(called({}, { arguments: '{"n":' }), { index: 0, function: { arguments: '1}{"n":1}' } }), finish],
    },
  },
  {
    name: 'the rest of a second call may come under an index of its own',
    source: 'agno-agi/agno#8880',
    call: {
      events: [
        ...calls(called({ id: 'a' }), called({ id: 'b' }, { arguments: '{"n"' }), { index: 1, function: { arguments: ':1}' } }),
        finish,
      ],
    },
    wanted: { used: 2 },
  },
  {
    name: 'a namespace before the tool name is removed',
    source: 'tontinton/maki#518',
    call: { events: [...calls(called({}, { name: 'functions.look' })), finish] },
  },
  {
    name: 'a control token of the model after the tool name is removed',
    source: 'ollama/ollama#12132',
    call: { events: [...calls(called({}, { name: 'look<|channel|>analysis' })), finish] },
  },
  {
    name: 'a template tag after the tool name is removed',
    source: 'fw-ai-external/python-sdk#119',
    call: { events: [...calls(called({}, { name: 'look</arg_value>' })), finish] },
  },
  {
    name: 'a call without a name and an input is ignored',
    source: 'lmstudio-ai/lmstudio-bug-tracker#830',
    call: { events: [...calls(called(), { index: 1, id: '', type: 'function' }), finish] },
  },
  {
    name: 'an input that is not JSON is not sent back, because its server would refuse the conversation',
    source: 'ggml-org/llama.cpp#25510',
    refuses: [
      {
        has: '"arguments":"\\{\\\\"n\\\\":"',
        status: 500,
        body: { error: { code: 500, message: 'Failed to parse tool call arguments as JSON', type: 'server_error' } },
      },
    ],
    call: { events: [...calls(called({}, { arguments: '{"n":' })), finish] },
    wanted: { used: 'failed', asked: '"arguments":"\\{\\}"' },
  },
  {
    name: 'a call written as JSON between tags is recognised',
    source: 'vllm-project/vllm#17161',
    call: {
      events: [
        ...['I look. <tool', '_call>\n{"name": "look", ', '"arguments": {"n": 1}}\n</tool_call>'].map((content) => piece({ content })),
        stop,
      ],
    },
  },
  {
    name: 'a call written as tags is recognised',
    source: 'vllm-project/vllm#22975',
    call: {
      events: [piece({ content: '<tool_call>\n<function=look>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>' }), stop],
    },
  },
  {
    name: 'a call written as keys and values is recognised',
    source: 'getsigit/sigit#95',
    call: {
      events: [piece({ content: '<tool_call>look\n<arg_key>n</arg_key>\n<arg_value>1</arg_value>\n</tool_call>' }), stop],
    },
  },
  {
    name: 'a call written as a list after a control token is recognised',
    source: 'ml-explore/mlx-lm#1374',
    call: { events: [piece({ content: '[TOOL_CALLS][{"name": "look", "arguments": {"n": 1}}]' }), stop] },
  },
  {
    name: 'a call written as its name, a control token and JSON is recognised',
    source: 'ggml-org/llama.cpp#15158',
    call: {
      events: [piece({ content: '<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"n":1}<|call|>' }), stop],
    },
  },
  {
    name: 'a call written as a bare object is recognised',
    source: 'raullenchai/Rapid-MLX#700',
    call: { events: [piece({ content: '{"na' }), piece({ content: 'me": "look", "parameters": {"n": 1}}' }), stop] },
  },
  {
    name: 'a written call of an unknown tool stays text',
    source: 'vllm-project/vllm#17161',
    text: { events: [piece({ content: 'Write <tool_call>{"name":"sing"}</tool_call>' }, 'stop')] },
    wanted: { text: 'Write <tool_call>{"name":"sing"}</tool_call>' },
  },
];
