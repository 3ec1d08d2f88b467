import { called, piece, type RefusalRule, type ServerCase } from './case.js';

const always = (status: number, body: object | string, more: Partial<RefusalRule> = {}): readonly RefusalRule[] => [
  { status, body, ...more },
];
const failing = (code: string, ...says: string[]) => ({ fails: { code, says } });
const overflow = (...says: string[]) => failing('context_overflow', ...says, 'model.model in the settings');

/** Servers that can't answer: what people are told. */
export const failures: readonly ServerCase[] = [
  {
    name: 'a path that is not there names the address',
    source: 'lmstudio-ai/lmstudio-bug-tracker#618',
    refuses: always(200, { error: 'Unexpected endpoint or method. (POST /chat/completions)' }),
    wanted: failing('model_error', 'Unexpected endpoint or method. (POST /chat/completions)', 'model.base_url'),
  },
  {
    name: 'a 404 in plain text names the address',
    source: 'https://pkg.go.dev/net/http#NotFound',
    refuses: always(404, '404 page not found', { type: 'text/plain' }),
    wanted: failing('model_error', '404 page not found', 'model.base_url'),
  },
  {
    name: 'a 404 of FastAPI names the address',
    source: 'https://fastapi.tiangolo.com/tutorial/handling-errors/',
    refuses: always(404, { detail: 'Not Found' }),
    wanted: failing('model_error', 'Not Found', 'model.base_url'),
  },
  {
    name: 'a page in place of an answer names the address, and quotes its title',
    source: 'https://docs.openwebui.com',
    refuses: always(200, '<!DOCTYPE html><html><head><title>Welcome to the web UI</title></head></html>', { type: 'text/html' }),
    wanted: failing('model_error', 'Welcome to the web UI', 'model.base_url'),
  },
  {
    name: 'a model that is not there names the model',
    source: 'https://github.com/ollama/ollama/blob/main/docs/openai.md',
    refuses: always(404, { error: { message: 'model "llama9" not found, try pulling it first', type: 'api_error' } }),
    wanted: failing('model_error', 'model "llama9" not found, try pulling it first', 'model.model'),
  },
  {
    name: 'a bare text as JSON is quoted',
    source: 'https://github.com/huggingface/text-generation-inference',
    refuses: always(400, '"The payload is odd"'),
    wanted: failing('model_error', 'The payload is odd'),
  },
  {
    name: 'an error of two words is quoted',
    source: 'https://huggingface.co/docs/text-generation-inference',
    refuses: always(422, { error: 'Template error: invalid operation', error_type: 'template_error' }),
    wanted: failing('model_error', 'Template error: invalid operation', 'model.features'),
  },
  {
    name: 'a list of errors is quoted',
    source: 'https://developers.cloudflare.com/workers-ai/platform/errors/',
    refuses: always(400, { success: false, errors: [{ code: 5006, message: 'AiError: must have required property' }] }),
    wanted: failing('model_error', 'AiError: must have required property'),
  },
  {
    name: 'a sentence under Message is quoted',
    source: 'https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html',
    refuses: always(400, { Message: 'Malformed input request' }),
    wanted: failing('model_error', 'Malformed input request'),
  },
  {
    name: 'a key that is refused is quoted, and named',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    refuses: always(401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }),
    wanted: failing('model_auth', 'Incorrect API key provided', 'model.api_key'),
  },
  {
    name: 'no credit is told',
    source: 'https://api-docs.deepseek.com/quick_start/error_codes',
    refuses: always(402, { error: { message: 'Insufficient Balance' } }),
    wanted: failing('model_quota', 'Insufficient Balance', 'model.api_key'),
  },
  {
    name: 'a rate limit that lasts until a date is told',
    source: 'RFC 9110, 10.2.3',
    refuses: always(429, { error: { message: 'Slow down' } }, { headers: { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' } }),
    wanted: failing('model_rate_limited', 'Slow down', 'fallback_models'),
  },
  {
    name: 'a length in tokens of a request is an overflow',
    source: 'ggml-org/llama.cpp#17284',
    refuses: always(400, {
      error: {
        code: 400,
        message: 'request (124315 tokens) exceeds the available context size (123904 tokens), try increasing it',
        type: 'exceed_context_size_error',
      },
    }),
    wanted: overflow('exceeds the available context size'),
  },
  {
    name: 'an overflow with 500 is one',
    source: 'ggml-org/llama.cpp#15780',
    refuses: always(500, {
      error: {
        code: 500,
        message: 'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'exceed_context_size_error',
      },
    }),
    wanted: overflow('the request exceeds the available context size'),
  },
  {
    name: 'an overflow in a body of its own shape is one',
    source: 'vllm-project/vllm#6862',
    refuses: always(400, {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      code: 400,
    }),
    wanted: overflow('maximum context length is 4096 tokens'),
  },
  {
    name: 'an overflow of a prompt is one',
    source: 'dcdpr/jp#978',
    refuses: always(400, { error: { message: 'prompt is too long: 1284668 tokens > 1000000 maximum' } }),
    wanted: overflow('prompt is too long'),
  },
  {
    name: 'an overflow of inputs and new tokens is one',
    source: 'https://huggingface.co/docs/text-generation-inference',
    refuses: always(422, {
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
      error_type: 'validation',
    }),
    wanted: overflow('must be <= 4096'),
  },
  {
    name: 'an overflow of a count is one',
    source: 'https://ai.google.dev/gemini-api/docs/troubleshooting',
    refuses: always(400, [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ]),
    wanted: overflow('exceeds the maximum number of tokens allowed'),
  },
  {
    name: 'an overflow that LM Studio tells is one',
    source: 'https://github.com/lmstudio-ai/lmstudio-bug-tracker',
    refuses: always(400, {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    }),
    wanted: overflow('context the overflows'),
  },
  {
    name: 'an overflow of a window is one',
    source: 'fedora-copr/logdetective-website#193',
    refuses: always(400, { error: { message: 'Requested tokens (2285) exceed context window of 2048', type: 'invalid_request_error' } }),
    wanted: overflow('exceed context window of 2048'),
  },
  {
    name: 'an overflow of a decoder is one',
    source: 'https://docs.vllm.ai',
    refuses: always(400, { error: { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' } }),
    wanted: overflow('longer than the maximum model length'),
  },
  {
    name: 'an overflow that is told in Chinese is one',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    refuses: always(400, { error: { code: '1261', message: 'Prompt 超长' } }),
    wanted: overflow('Prompt 超长'),
  },
  {
    name: 'an overflow inside a stream is one',
    source: 'oobabooga/textgen#7257',
    text: {
      events: [{ error: { code: 400, message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } }],
    },
    call: {
      events: [{ error: { code: 400, message: 'the request exceeds the available context size', type: 'exceed_context_size_error' } }],
    },
    wanted: overflow('exceeds the available context size'),
  },
  {
    name: 'an error as an event of that name is one',
    source: 'vercel/ai#1835',
    text: { events: ['event: error\ndata: {"message":"The engine died","code":400}\n\n'], done: false },
    call: { events: ['event: error\ndata: The engine died\n\n'], done: false },
    wanted: failing('model_error', 'The engine died'),
  },
  {
    name: 'an error that is no JSON is one',
    source: 'https://github.com/LostRuins/koboldcpp',
    text: { events: ['data: Internal error: out of memory\n\n'] },
    call: { events: ['data: Internal error: out of memory\n\n'] },
    wanted: failing('model_error', 'Internal error: out of memory'),
  },
  {
    name: 'an error after some text keeps the text and is quoted',
    source: 'diegosouzapw/OmniRoute#8210',
    text: { events: [piece({ content: 'Hel' }), { choices: [], error: { code: 400, message: 'Worker limit reached' } }] },
    call: { events: [piece({ content: 'Hel' }), { choices: [], error: { code: 400, message: 'Worker limit reached' } }] },
    wanted: failing('model_error', 'Worker limit reached'),
  },
  {
    name: 'an answer that is filtered says so',
    source: 'https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter',
    text: { events: [piece({}, 'content_filter')] },
    call: { events: [piece({}, 'content_filter')] },
    wanted: failing('model_error', 'by a filter'),
  },
  {
    name: 'tokens that all went into reasoning are told with the setting',
    source: 'https://platform.openai.com/docs/guides/reasoning',
    text: { events: [piece({ reasoning_content: 'Hm' }), piece({}, 'length')] },
    call: { events: [piece({ reasoning_content: 'Hm' }), piece({}, 'length')] },
    wanted: failing('model_error', 'for reasoning', 'model.max_tokens'),
  },
  {
    name: 'reasoning without an answer is no answer',
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-R1',
    text: { events: [piece({ content: '<think>Hm' }), piece({}, 'stop')] },
    call: { events: [piece({ content: '<think>Hm' }), piece({}, 'stop')] },
    wanted: failing('model_error', 'without an answer'),
  },
  {
    name: 'a stream that ends in the middle is told',
    source: 'earendil-works/pi#8473',
    text: { events: [piece({ content: 'Hel' })], done: false },
    call: { events: [piece({ content: 'Hel' })], done: false },
    wanted: failing('model_error', 'broke off'),
  },
  {
    name: 'a connection that is cut in the middle is told',
    source: 'RFC 9112, 8',
    text: { events: [piece({ content: 'Hel' })], done: false, cut: true },
    call: { events: [piece({ content: 'Hel' }), piece({ tool_calls: [called({}, { arguments: '{"n"' })] })], done: false, cut: true },
    wanted: failing('model_error', 'broke off'),
  },
];
