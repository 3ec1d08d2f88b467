import { called, look, piece, type ServerCase, whole } from './case.js';

const finish = piece({}, 'tool_calls');
const calls = (...fragments: object[]) => fragments.map((fragment) => piece({ tool_calls: [fragment] }));

/** Servers that write tool calls in their own way. */
export const toolCalls: readonly ServerCase[] = [
  {
    name: 'a call without an index is one',
    source: 'ollama/ollama#7881',
    call: { events: [...calls({ id: 'a', type: 'function', function: { name: 'look', arguments: '{"n":1}' } }), finish] },
  },
  { name: 'indices may begin at 1', source: 'vercel/ai#7240', call: { events: [...calls(called({ index: 1 })), finish] } },
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
  { name: 'an empty id is none', source: 'continuedev/continue#13225', call: { events: [...calls(called({ id: '' })), finish] } },
  {
    name: 'a name that is repeated in each fragment is one',
    source: 'vercel/ai#15879',
    call: { events: [...calls(called({}, { arguments: '{"n"' }), called({}, { arguments: ':1}' })), finish] },
  },
  {
    name: 'arguments that come before the name belong to it',
    source: 'vercel/ai#5885',
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
    name: 'arguments that are encoded twice are decoded twice',
    source: 'vllm-project/vllm#54964',
    call: { events: [...calls(called({}, { arguments: '"{\\"n\\":1}"' })), finish] },
  },
  {
    name: 'a call that finishes with stop is one all the same',
    source: 'ollama/ollama#6155',
    call: { events: [...calls(called()), piece({}, 'stop')] },
  },
  {
    name: 'an unknown reason to finish with calls is one',
    source: 'https://docs.anthropic.com/en/api/openai-sdk',
    call: { events: [...calls(called()), piece({}, 'tool_call')] },
  },
  {
    name: 'a call of the older kind, function_call, is one',
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
    name: 'a call that is not a list but an object is one',
    source: 'BerriAI/litellm: streaming_handler',
    call: { events: [piece({ tool_calls: called() }), finish] },
  },
  {
    name: 'a whole call in an answer that is not streamed is one',
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
    name: 'a call beside an empty text and null fields is one',
    source: 'sgl-project/sglang#3912',
    call: { events: [piece({ role: null, content: '', reasoning_content: null, tool_calls: [called()] }), finish] },
  },
  {
    name: 'the last fragment may come with the reason',
    source: 'vllm-project/vllm#19662',
    call: { events: [piece({ tool_calls: [called()] }, 'tool_calls')] },
  },
  {
    name: 'one id for the calls of every answer is made two',
    source: 'editor-code-assistant/eca#233',
    call: { events: [...calls(called({ id: 'call_0' }, { arguments: '{"n":1}' })), finish] },
    refuses: [{ has: '"id":"call_0".*"id":"call_0"', body: { error: { message: 'Duplicate tool call id call_0' } } }],
  },
  {
    name: 'a second call under the index and id of the first is another',
    source: 'ggml-org/llama.cpp: tool calls that all have the index 0',
    call: { events: [...calls(called({ id: 'a' })), ...look.events.slice(1)] },
  },
];
