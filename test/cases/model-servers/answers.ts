import { called, type Frames, hello, piece, type ServerCase, whole } from './case.js';

const text = (...events: (object | string)[]): Frames => ({ events });
const json = (event: object | string, more: Partial<Frames> = {}): Frames => ({
  type: 'application/json',
  before: '',
  after: '',
  done: false,
  events: [event],
  ...more,
});
const sse = 'https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation';
const azure = {
  id: '',
  object: '',
  created: 0,
  model: '',
  choices: [],
  prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
};

/** Servers that write or frame an answer in their own way. */
export const answers: readonly ServerCase[] = [
  { name: 'lines may end with CRLF', source: sse, text: { ...hello, after: '\r\n\r\n' } },
  { name: 'lines may end with CR', source: sse, text: { ...hello, after: '\r\r' } },
  { name: 'a byte order mark at the start is skipped', source: sse, text: { ...hello, start: '\uFEFF' } },
  { name: 'the space after the colon may be missing', source: 'openai/openai-python#498', text: { ...hello, before: 'data:' } },
  {
    name: 'events without an empty line between them are separated',
    source: 'Wei-Shaw/sub2api#1471',
    text: { ...hello, after: '\n' },
  },
  { name: 'bytes may be cut anywhere', source: sse, text: { ...hello, step: 1 } },
  {
    name: 'comments keep a connection alive',
    source: 'mnfst/llm-gateway#2053',
    text: { ...hello, start: ': OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\n' },
  },
  {
    name: 'a comment in the data field is ignored',
    source: 'anomalyco/opencode#50871',
    text: { ...hello, start: 'data: : keepalive\n\n' },
  },
  {
    name: 'an event without data is ignored',
    source: 'Growth-Circle/cadis#2329',
    text: { ...hello, start: 'data: \n\nevent: keepalive\n\n' },
  },
  {
    name: 'null as data is ignored',
    source: 'Kilo-Org/kilocode#3083',
    text: { ...hello, start: 'data: null\n\n' },
  },
  {
    name: 'ids, names and retry times of events are ignored',
    source: sse,
    text: { ...hello, start: 'retry: 3000\n\n', before: 'id: 7\nevent: message\ndata: ' },
  },
  { name: '[DONE] may be missing after the finish reason', source: 'lidge-jun/opencodex#1170', text: { ...hello, done: false } },
  {
    name: '[DONE] without a finish reason ends the answer',
    source: 'alfredapp/openai-workflow#52',
    text: text(piece({ content: 'Hello.' })),
  },
  {
    name: 'an empty finish reason in each chunk does not end the answer',
    source: 'ollama/ollama#4357',
    text: text(piece({ content: 'Hel' }, ''), piece({ content: 'lo.' }, ''), piece({}, 'stop')),
  },
  {
    name: 'data after [DONE] is not read',
    source: sse,
    text: { ...hello, events: [...hello.events, 'data: [DONE]\n\n', piece({ content: ' More' })] },
  },
  {
    name: 'a second end changes nothing',
    source: 'the rule: an answer ends once',
    text: { ...hello, events: [...hello.events, piece({}, 'stop')] },
  },
  {
    name: 'a first chunk without choices is ignored',
    source: 'AbanteAI/archive-old-cli-mentat#429',
    text: { ...hello, events: [azure, ...hello.events] },
  },
  {
    name: 'a chunk without a delta is ignored',
    source: 'bagofwords1/bagofwords#742',
    text: {
      ...hello,
      events: [
        ...hello.events.slice(0, 2),
        { choices: [{ index: 0, finish_reason: null, content_filter_results: {} }] },
        ...hello.events.slice(2),
      ],
    },
  },
  {
    name: 'null as the choices of the usage chunk is ignored',
    source: 'pydantic/pydantic-ai#5170',
    text: { ...hello, events: [...hello.events, { choices: null, usage: { prompt_tokens: 3, completion_tokens: 2 } }] },
  },
  {
    name: 'a usage of texts or negative numbers is ignored',
    source: 'https://platform.openai.com/docs/api-reference/chat/streaming',
    text: { ...hello, events: [...hello.events, { choices: [], usage: { prompt_tokens: '3', completion_tokens: '-1' } }] },
  },
  {
    name: 'a message in place of a delta is read',
    source: 'https://platform.moonshot.ai/docs/api/chat',
    text: text(
      { choices: [{ index: 0, message: { content: 'Hel' } }] },
      { choices: [{ index: 0, message: { content: 'lo.' }, finish_reason: 'stop' }] },
    ),
  },
  {
    name: 'a complete message after its chunks is not repeated',
    source: 'perplexityai/api-discussion#209',
    text: text(piece({ content: 'Hello.' }), { choices: [{ index: 0, delta: {}, message: { content: 'Hello.' }, finish_reason: 'stop' }] }),
  },
  {
    name: 'the text of the older completion format is read',
    source: 'https://platform.openai.com/docs/api-reference/completions/object',
    text: text({ choices: [{ index: 0, text: 'Hello.', finish_reason: 'stop' }] }),
  },
  {
    name: 'text parts become text, and thinking parts become reasoning',
    source: 'vercel/ai#8072',
    text: text(
      piece({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      piece({ content: [{ type: 'text', text: 'Hello.' }] }),
      piece({}, 'stop'),
    ),
    wanted: { reasoning: 'Hm.' },
  },
  {
    name: 'of several reasoning fields the non-empty one is used',
    source: 'https://docs.vllm.ai/en/stable/features/reasoning_outputs.html',
    text: text(piece({ reasoning: '', reasoning_content: 'Hm.' }), ...hello.events),
    wanted: { reasoning: 'Hm.' },
  },
  {
    name: 'reasoning in reasoning_details only is read',
    source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens',
    text: text(piece({ content: '', reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }] }), ...hello.events),
    wanted: { reasoning: 'Hm.' },
  },
  {
    name: 'reasoning between tags at the start is recognised at any chunk boundary',
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-R1',
    text: text(...['<th', 'ink>H', 'm.</', 'think>\n', '\nHel', 'lo.'].map((content) => piece({ content })), piece({}, 'stop')),
    wanted: { reasoning: 'Hm.' },
  },
  {
    name: 'reasoning tags in brackets are recognised too',
    source: 'https://huggingface.co/mistralai/Magistral-Small-2509',
    text: text(piece({ content: '[THINK]Hm.[/THINK]Hello.' }, 'stop')),
    wanted: { reasoning: 'Hm.' },
  },
  {
    name: 'reasoning with only an end tag is recognised in an unstreamed answer',
    source: 'vllm-project/vllm#13125',
    text: text(piece({ content: 'Hm.\n</thi' }), piece({ content: 'nk>\n\nHello.' }, 'stop')),
    model: { features: { stream: false } },
    wanted: { reasoning: 'Hm.\n' },
  },
  {
    name: 'a quoted end tag is text',
    source: 'vllm-project/vllm#13125',
    text: text(piece({ content: 'Write `</think>` there.' }, 'stop')),
    wanted: { text: 'Write `</think>` there.' },
  },
  {
    name: 'a reasoning tag later in the text is text',
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-R1',
    text: text(piece({ content: 'Write <think>.</think>' }, 'stop')),
    wanted: { text: 'Write <think>.</think>' },
  },
  {
    name: 'a text that only begins like a reasoning tag is text',
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-R1',
    text: text(piece({ content: '<t' }), piece({ content: 'able>' }, 'stop')),
    wanted: { text: '<table>' },
  },
  {
    name: 'a refusal is shown as the answer',
    source: 'https://platform.openai.com/docs/guides/structured-outputs',
    text: text(piece({ refusal: 'I must ' }), piece({ refusal: 'not.' }), piece({}, 'stop')),
    wanted: { refusal: 'I must not.' },
  },
  {
    name: 'an answer truncated by its token limit is reported as such',
    source: 'https://platform.openai.com/docs/api-reference/chat/object',
    text: text(piece({ content: 'Hello.' }), piece({}, 'length')),
    wanted: { finish: 'length', notices: ['answer_cut'] },
  },
  {
    name: 'other finish reasons for the token limit are recognised',
    source: 'https://docs.anthropic.com/en/api/messages',
    text: text(piece({ content: 'Hello.' }), piece({}, 'max_tokens')),
    wanted: { finish: 'length', notices: ['answer_cut'] },
  },
  {
    name: 'unknown finish reasons end the answer',
    source: 'https://huggingface.co/docs/text-generation-inference',
    text: text(piece({ content: 'Hello.' }), piece({}, 'eos_token')),
  },
  {
    name: 'an unstreamed answer is read',
    source: 'https://github.com/ggml-org/llama.cpp/tree/master/tools/server',
    text: json(whole({ content: 'Hello.' })),
  },
  {
    name: 'JSON sent as text/plain is read',
    source: 'RFC 9110, 8.3: types are often wrong, and content is examined',
    text: json(whole({ content: 'Hello.' }), { type: 'text/plain' }),
  },
  {
    name: 'JSON sent as an event stream is read',
    source: 'RFC 9110, 8.3: types are often wrong, and content is examined',
    text: json(whole({ content: 'Hello.' }), { type: 'text/event-stream' }),
  },
  {
    name: 'JSON over several lines is read',
    source: 'RFC 8259, 2: white space may stand between tokens',
    text: json(JSON.stringify(whole({ content: 'Hello.' }), null, 2)),
  },
  {
    name: 'newline-delimited JSON is read as a stream',
    source: 'https://github.com/ollama/ollama/blob/main/docs/api.md',
    text: { ...hello, type: 'application/x-ndjson', before: '', after: '\n', done: false },
  },
  {
    name: 'a stream sent as JSON is read as a stream',
    source: 'openclaw/openclaw#97474',
    text: { ...hello, type: 'application/json' },
  },
  { name: 'a stream without a content type is read', source: sse, text: { ...hello, type: '' } },
  { name: 'a compressed body is read', source: 'RFC 9110, 8.4', text: { ...hello, encoding: 'gzip' } },
  {
    name: 'halves of a character in two chunks are joined',
    source: 'RFC 8259, 7',
    text: text(
      'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n',
      'data: {"choices":[{"delta":{"content":"\\ude00"},"finish_reason":"stop"}]}\n\n',
    ),
    wanted: { text: '😀' },
  },
  {
    name: 'bytes that are not UTF-8 are replaced',
    source: 'https://encoding.spec.whatwg.org/#utf-8-decoder',
    text: { events: ['data: {"choices":[{"delta":{"content":"caf\u00e9"},"finish_reason":"stop"}]}\n\n'], encoding: 'latin1' },
    wanted: { text: 'caf\uFFFD' },
  },
  {
    name: 'an answer with an empty list of tool calls is a text',
    source: 'sgl-project/sglang#3912',
    text: text(piece({ content: 'Hello.', tool_calls: [] }), piece({ tool_calls: null }, 'stop')),
  },
  {
    name: 'a tool call without a text comes before the text',
    source: 'https://platform.openai.com/docs/guides/function-calling',
    call: { events: [piece({ content: null, tool_calls: [called()] }), piece({}, 'tool_calls')] },
  },
  {
    name: 'the text of a second choice is ignored',
    source: 'ericc-ch/copilot-api#81',
    text: text({
      choices: [
        { index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' },
        { index: 1, delta: { content: 'Hi.' }, finish_reason: 'stop' },
      ],
    }),
  },
  {
    name: 'a token sent as a number becomes text',
    source: 'cloudflare/ai#651',
    text: text(piece({ content: 4 }), piece({ content: 2 }), piece({}, 'stop')),
    wanted: { text: '42' },
  },
  {
    name: 'data with a repeated field name is read',
    source: 'openclaw/openclaw#96497',
    text: { ...hello, before: 'data: data: ' },
  },
  {
    name: 'reasoning tags of other models are recognised',
    source: 'scouzi1966/maclocal-api#148',
    text: text(piece({ content: '<|START_THINKING|>Hm.<|END_THINKING|>Hello.' }, 'stop')),
    wanted: { reasoning: 'Hm.' },
  },
];
