import { called, piece, type RefusalRule, type ServerCase } from './case.js';

const always = (status: number, body: object | string, more: Partial<RefusalRule> = {}): readonly RefusalRule[] => [
  { status, body, ...more },
];
const failing = (code: string, ...says: string[]) => ({ fails: { code, says } });
const overflow = (...says: string[]) => failing('context_overflow', ...says, 'model.model in the settings');

/** Servers that can't answer: what people are told. */
export const failures: readonly ServerCase[] = [
  {
    name: 'an unknown path is reported with the address setting',
    source: 'lmstudio-ai/lmstudio-bug-tracker#618',
    refuses: always(200, { error: 'Unexpected endpoint or method. (POST /chat/completions)' }),
    wanted: failing('model_error', 'Unexpected endpoint or method. (POST /chat/completions)', 'model.base_url'),
  },
  {
    name: 'a 404 in plain text is reported with the address setting',
    source: 'https://pkg.go.dev/net/http#NotFound',
    refuses: always(404, '404 page not found', { type: 'text/plain' }),
    wanted: failing('model_error', '404 page not found', 'model.base_url'),
  },
  {
    name: 'a 404 of FastAPI is reported with the address setting',
    source: 'https://fastapi.tiangolo.com/tutorial/handling-errors/',
    refuses: always(404, { detail: 'Not Found' }),
    wanted: failing('model_error', 'Not Found', 'model.base_url'),
  },
  {
    name: 'a page instead of an answer is reported with the address setting and its title',
    source: 'RFC 9110, 15.3.1: a 200 may hold anything',
    refuses: always(200, '<!DOCTYPE html><html><head><title>Welcome to the web UI</title></head></html>', { type: 'text/html' }),
    wanted: failing('model_error', 'Welcome to the web UI', 'model.base_url'),
  },
  {
    name: 'an unknown model is reported with the model setting',
    source: 'https://github.com/ollama/ollama/blob/main/docs/openai.md',
    refuses: always(404, { error: { message: 'model "llama9" not found, try pulling it first', type: 'api_error' } }),
    wanted: failing('model_error', 'model "llama9" not found, try pulling it first', 'model.model'),
  },
  {
    name: 'an error that is a JSON string is quoted',
    source: 'RFC 8259, 2: any value is a JSON text',
    refuses: always(400, '"The payload is odd"'),
    wanted: failing('model_error', 'The payload is odd'),
  },
  {
    name: 'an error of two fields is quoted',
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
    name: 'a rejected key is quoted, and reported with the key setting',
    source: 'https://platform.openai.com/docs/guides/error-codes',
    refuses: always(401, { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }),
    wanted: failing('model_auth', 'Incorrect API key provided', 'model.api_key'),
  },
  {
    name: 'missing credit is reported',
    source: 'https://api-docs.deepseek.com/quick_start/error_codes',
    refuses: always(402, { error: { message: 'Insufficient Balance' } }),
    wanted: failing('model_quota', 'Insufficient Balance', 'model.api_key'),
  },
  {
    name: 'a rate limit until a date is reported',
    source: 'RFC 9110, 10.2.3',
    refuses: always(429, { error: { message: 'Slow down' } }, { headers: { 'retry-after': 'Fri, 31 Dec 2100 23:59:59 GMT' } }),
    wanted: failing('model_rate_limited', 'Slow down', 'fallback_models'),
  },
  {
    name: 'a request with too many tokens is an overflow',
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
    name: 'an overflow reported with 500 is recognised',
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
    name: 'an overflow in a body of another format is recognised',
    source: 'https://docs.vllm.ai/en/stable/serving/openai_compatible_server.html',
    refuses: always(400, {
      object: 'error',
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
      code: 400,
    }),
    wanted: overflow('maximum context length is 4096 tokens'),
  },
  {
    name: 'an overflow of the prompt is recognised',
    source: 'https://docs.anthropic.com/en/docs/build-with-claude/context-windows',
    refuses: always(400, { error: { message: 'prompt is too long: 1284668 tokens > 1000000 maximum' } }),
    wanted: overflow('prompt is too long'),
  },
  {
    name: 'an overflow of input and new tokens is recognised',
    source: 'https://huggingface.co/docs/text-generation-inference',
    refuses: always(422, {
      error: 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens',
      error_type: 'validation',
    }),
    wanted: overflow('must be <= 4096'),
  },
  {
    name: 'an overflow reported as a count is recognised',
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
    name: 'an overflow reported by LM Studio is recognised',
    source: 'lmstudio-ai/lmstudio-bug-tracker#546',
    refuses: always(400, {
      error:
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens',
    }),
    wanted: overflow('context the overflows'),
  },
  {
    name: 'an overflow of the context window is recognised',
    source: 'fedora-copr/logdetective-website#193',
    refuses: always(400, { error: { message: 'Requested tokens (2285) exceed context window of 2048', type: 'invalid_request_error' } }),
    wanted: overflow('exceed context window of 2048'),
  },
  {
    name: 'an overflow of the decoder is recognised',
    source: 'xorbitsai/inference#3785',
    refuses: always(400, { error: { message: 'The decoder prompt (length 9000) is longer than the maximum model length of 8192.' } }),
    wanted: overflow('longer than the maximum model length'),
  },
  {
    name: 'an overflow reported in Chinese is recognised',
    source: 'https://docs.bigmodel.cn/cn/api/api-code',
    refuses: always(400, { error: { code: '1261', message: 'Prompt 超长' } }),
    wanted: overflow('Prompt 超长'),
  },
  {
    name: 'an overflow reported inside a stream is recognised',
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
    name: 'an event named error is a failure',
    source: 'HTML standard, 9.2.6: an event has a name',
    text: { events: ['event: error\ndata: {"message":"The engine died","code":400}\n\n'], done: false },
    call: { events: ['event: error\ndata: The engine died\n\n'], done: false },
    wanted: failing('model_error', 'The engine died'),
  },
  {
    name: 'an error event that is not JSON is a failure',
    source: 'lucasjinreal/Crane#121',
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
    name: 'a filtered answer is reported',
    source: 'https://learn.microsoft.com/azure/ai-services/openai/concepts/content-filter',
    text: { events: [piece({}, 'content_filter')] },
    call: { events: [piece({}, 'content_filter')] },
    wanted: failing('model_error', 'by a filter'),
  },
  {
    name: 'an answer whose tokens all went into reasoning is reported with the setting',
    source: 'https://platform.openai.com/docs/guides/reasoning',
    text: { events: [piece({ reasoning_content: 'Hm' }), piece({}, 'length')] },
    call: { events: [piece({ reasoning_content: 'Hm' }), piece({}, 'length')] },
    wanted: failing('model_error', 'for reasoning', 'model.max_tokens'),
  },
  {
    name: 'reasoning without an answer is a failure',
    source: 'https://huggingface.co/deepseek-ai/DeepSeek-R1',
    text: { events: [piece({ content: '<think>Hm' }), piece({}, 'stop')] },
    call: { events: [piece({ content: '<think>Hm' }), piece({}, 'stop')] },
    wanted: failing('model_error', 'but no answer'),
  },
  {
    name: 'a truncated stream is reported',
    source: 'Growth-Circle/cadis#2547',
    text: { events: [piece({ content: 'Hel' })], done: false },
    call: { events: [piece({ content: 'Hel' })], done: false },
    wanted: failing('model_error', 'broke off'),
  },
  {
    name: 'a lost connection is reported',
    source: 'RFC 9112, 8',
    text: { events: [piece({ content: 'Hel' })], done: false, cut: true },
    call: { events: [piece({ content: 'Hel' }), piece({ tool_calls: [called({}, { arguments: '{"n"' })] })], done: false, cut: true },
    wanted: failing('model_error', 'broke off'),
  },
  {
    name: 'a nested error with status 200 is quoted',
    source: 'edenai/edenai-apis#360',
    refuses: always(200, { choices: null, base_resp: { status_code: 2013, status_msg: 'invalid params' } }),
    wanted: failing('model_error', 'invalid params'),
  },
  {
    name: 'an error nested two objects deep with status 200 is quoted',
    source: 'https://www.tencentcloud.com/document/api/1157/49031',
    refuses: always(200, { Response: { Error: { Code: 'InternalError', Message: 'The engine is gone' }, RequestId: 'r' } }),
    wanted: failing('model_error', 'The engine is gone'),
  },
  {
    name: 'a fault of a gateway is quoted',
    source: 'https://discuss.google.dev/t/error-codes/5526',
    refuses: always(400, { fault: { faultstring: 'The policy failed', detail: { errorcode: 'steps.Failed' } } }),
    wanted: failing('model_error', 'The policy failed'),
  },
  {
    name: 'a plain text in place of a stream is quoted',
    source: 'HTML standard, 9.2.6: a line that is no field is passed over',
    refuses: always(200, 'upstream connect error or disconnect', { type: 'text/plain' }),
    wanted: failing('model_error', 'upstream connect error or disconnect'),
  },
  {
    name: 'an error field in the stream is a failure',
    source: 'ggml-org/llama.cpp#16109',
    text: { events: [piece({ content: 'Hel' }), 'error: {"message":"The worker died","code":400}\n\n'], done: false },
    call: { events: [piece({ content: 'Hel' }), 'error: {"message":"The worker died","code":400}\n\n'], done: false },
    wanted: failing('model_error', 'The worker died'),
  },
  {
    name: 'an error in a choice is quoted',
    source: 'genkit-ai/genkit#6079',
    text: {
      events: [
        { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 400, message: 'The provider is gone' } }] },
      ],
    },
    call: {
      events: [
        { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error', error: { code: 400, message: 'The provider is gone' } }] },
      ],
    },
    wanted: failing('model_error', 'The provider is gone'),
  },
  {
    name: 'an error in a field of the server is quoted',
    source: 'groq/groq-python: src/groq/types/chat/chat_completion_chunk.py',
    text: { events: [{ choices: [], x_groq: { id: 'r', error: 'The engine stopped early' } }] },
    call: { events: [{ choices: [], x_groq: { id: 'r', error: 'The engine stopped early' } }] },
    wanted: failing('model_error', 'The engine stopped early'),
  },
  {
    name: 'a content filter of another protocol is recognised',
    source: 'HKUDS/Vibe-Trading#308',
    text: { events: [piece({}, 'IMAGE_PROHIBITED_CONTENT')] },
    call: { events: [piece({}, 'IMAGE_PROHIBITED_CONTENT')] },
    wanted: failing('model_error', 'by a filter', 'PROHIBITED_CONTENT'),
  },
  {
    name: 'a refusal as the finish reason is not an empty answer',
    source: 'BerriAI/litellm#40864',
    text: { events: [piece({}, 'refusal')] },
    call: { events: [piece({}, 'refusal')] },
    wanted: failing('model_error', 'by a filter', 'refusal'),
  },
  {
    name: 'a call that its server could not read is reported',
    source: 'NousResearch/hermes-agent#83882',
    text: { events: [piece({}, 'function_call_filter: MALFORMED_FUNCTION_CALL')] },
    call: { events: [piece({}, 'function_call_filter: MALFORMED_FUNCTION_CALL')] },
    wanted: failing('model_error', 'MALFORMED_FUNCTION_CALL'),
  },
  {
    name: 'content that a filter refuses is sent once',
    source: 'tatsu-lab/alpaca_eval#227',
    refuses: always(400, { error: { message: 'The prompt triggered the content management policy', code: 'content_filter', type: null } }),
    wanted: { ...failing('model_error', 'content management policy', 'in another way'), times: 1 },
  },
  {
    name: 'content that is flagged with 403 does not blame the key',
    source: 'https://openrouter.ai/docs/api-reference/errors',
    refuses: always(403, {
      error: { code: 403, message: 'This model requires moderation, and the input was flagged', metadata: { reasons: ['x'] } },
    }),
    wanted: { ...failing('model_error', 'was flagged', 'in another way'), times: 1 },
  },
  {
    name: 'a key rejected with 400 is reported with the key setting',
    source: 'continuedev/continue#10290',
    refuses: always(400, [{ error: { code: 400, message: 'API key not valid. Please pass one that is.', status: 'INVALID_ARGUMENT' } }]),
    wanted: { ...failing('model_auth', 'API key not valid', 'model.api_key'), times: 1 },
  },
  {
    name: 'a key rejected with 200 is reported with the key setting',
    source: 'edenai/edenai-apis#360',
    refuses: always(200, { base_resp: { status_code: 1004, status_msg: 'login fail: check your key' } }),
    wanted: { ...failing('model_auth', 'login fail', 'model.api_key'), times: 1 },
  },
  {
    name: 'missing credit with 429 is reported, and not retried',
    source: 'anomalyco/opencode#24462',
    refuses: always(429, { error: { message: 'Your account is suspended, please check your plan', type: 'exceeded_current_quota_error' } }),
    wanted: { ...failing('model_quota', 'is suspended', 'Add credit'), times: 1 },
  },
  {
    name: 'no credit with 403 does not blame the key',
    source: 'Anantys-oss/koan#2412',
    refuses: always(403, { error: 'Your team has used all available credits or reached its monthly spending limit' }),
    wanted: { ...failing('model_quota', 'used all available credits', 'Add credit'), times: 1 },
  },
];
