import { called, look, piece, type ServerCase } from './case.js';

const openai = (message: string, more: object = {}) => ({
  error: { message, type: 'invalid_request_error', param: null, code: null, ...more },
});
const vllm = (message: string) => ({ object: 'error', message, type: 'BadRequestError', param: null, code: 400 });

/** Servers that refuse a part of the protocol that an answer can do without. */
export const refusals: readonly ServerCase[] = [
  {
    name: "a server that requires the tool's name in its result, in its own words, gets the name",
    source: 'NousResearch/hermes-agent#19728',
    refuses: [{ has: '"role":"tool"', lacks: '"tool_call_id":"[^"]*","name":', body: { message: 'tool message needs name' } }],
    wanted: { asked: '"tool_call_id":"[^"]*","name":"look"' },
  },
  {
    name: "a server that requires the tool's name in its result without saying so gets the name",
    source: 'NousResearch/hermes-agent#16482',
    refuses: [{ has: '"role":"tool"', lacks: '"tool_call_id":"[^"]*","name":', body: openai('Request contains an invalid argument.') }],
    wanted: { asked: '"tool_call_id":"[^"]*","name":"look"' },
  },
  {
    name: 'a field of a tool result that the error requires by its path is sent',
    source: 'pydantic/pydantic: the location of a missing field',
    refuses: [{ has: '"role":"tool"', lacks: '"tool_call_id":"[^"]*","name":', body: vllm('messages.2.tool.name: Field required') }],
    wanted: { asked: '"tool_call_id":"[^"]*","name":"look"' },
  },
  {
    name: 'a server that forbids stream_options in a list of faults gets none',
    source: 'openai/openai-agents-python#442',
    refuses: [
      {
        has: '"stream_options"',
        status: 422,
        body: {
          object: 'error',
          message: {
            detail: [{ type: 'extra_forbidden', loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted', input: true }],
          },
          type: 'invalid_request_error',
        },
      },
    ],
    wanted: { learnt: 'stream_options' },
  },
  {
    name: 'a server that names stream_options in a sentence gets none',
    source: 'microsoft/semantic-kernel#10510',
    refuses: [{ has: '"stream_options"', body: openai("Extra inputs are not permitted, field: 'stream_options'") }],
    wanted: { learnt: 'stream_options' },
  },
  {
    name: 'a server that refuses stream_options without naming it gets none',
    source: 'vybestack/llxprt-code#114',
    refuses: [{ has: '"stream_options"', status: 422, body: '', type: 'text/plain' }],
    wanted: { learnt: 'stream_options' },
  },
  {
    name: 'a model without tool support answers without tools, which is reported',
    source: 'ollama/ollama#6027',
    refuses: [
      {
        has: '"tools":',
        body: { error: { message: 'stablelm2:latest does not support tools', type: 'api_error', param: null, code: null } },
      },
    ],
    wanted: { notices: ['no_tools'], used: 0, learnt: '"tools":' },
  },
  {
    name: 'a server that needs a flag for tools answers without tools, which is reported',
    source: 'langchain4j/langchain4j#3475',
    refuses: [{ has: '"tools":', body: vllm('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set') }],
    wanted: { notices: ['no_tools'], used: 0, learnt: '"tools":' },
  },
  {
    name: 'a gateway that finds no endpoint for tools, with 404, answers without tools',
    source: 'https://openrouter.ai/docs/features/tool-calling',
    refuses: [
      {
        has: '"tools":',
        status: 404,
        body: {
          error: {
            message: 'No endpoints found that support tool use. To learn more about provider routing, visit: https://example.org',
            code: 404,
          },
        },
      },
    ],
    wanted: { notices: ['no_tools'], used: 0 },
  },
  {
    name: 'a server that requires the flag --jinja for tools with 500 is recognised',
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/docs/function-calling.md',
    refuses: [
      { has: '"tools":', status: 500, body: { error: { code: 500, message: 'tools param requires --jinja flag', type: 'server_error' } } },
    ],
    wanted: { notices: ['no_tools'], used: 0 },
  },
  {
    name: 'a model that has no system role gets its instructions before the first message',
    source: 'sgl-project/sglang#892',
    refuses: [{ roles: 'system', body: vllm('System role not supported') }],
    wanted: { learnt: '"system"', asked: 'You are Vic.*Hello' },
  },
  {
    name: 'a model that does not support the system role gets none',
    source: 'microsoft/agent-framework#1077',
    refuses: [
      {
        roles: 'system',
        body: openai("Unsupported value: 'messages[0].role' does not support 'system' with this model.", {
          param: 'messages[0].role',
          code: 'unsupported_value',
        }),
      },
    ],
    wanted: { learnt: '"system"' },
  },
  {
    name: 'a template that requires alternating roles and has no system role gets alternating roles without one',
    source: 'microsoft/autogen#1037',
    refuses: [
      {
        roles: 'system|user,user|assistant,assistant|tool,user',
        body: vllm('Conversation roles must alternate user/assistant/user/assistant/...'),
      },
    ],
    wanted: { learnt: '"system"' },
  },
  {
    name: 'a model that does not stream is requested without streaming',
    source: 'github/gh-models#31',
    refuses: [
      {
        has: '"stream":true',
        body: openai("Unsupported value: 'stream' does not support true with this model. Supported values are: false.", {
          param: 'stream',
          code: 'unsupported_value',
        }),
      },
    ],
    wanted: { learnt: '"stream":true' },
  },
  {
    name: 'an account that may not stream is requested without streaming',
    source: 'lobehub/lobehub#9385',
    refuses: [
      {
        has: '"stream":true',
        body: openai('Your organization must be verified to stream this model. Please go to: https://example.org', {
          code: 'unsupported_value',
        }),
      },
    ],
    wanted: { learnt: '"stream":true' },
  },
  {
    name: "the reason in a gateway's raw answer is recognised",
    source: 'BeehiveInnovations/pal-mcp-server#134',
    refuses: [
      {
        has: '"stream":true',
        body: {
          error: {
            message: 'Provider returned error',
            code: 400,
            metadata: {
              raw: '{"error": {"message": "Your organization must be verified to stream this model.", "param": "stream"}}',
              provider_name: 'X',
            },
          },
        },
      },
    ],
    wanted: { learnt: '"stream":true' },
  },
  {
    name: 'a server that cannot stream tools is requested without streaming if there are tools',
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-supported-models-features.html',
    refuses: [{ has: '"stream":true.*"tools"', body: { message: "This model doesn't support tool use in streaming mode." } }],
    wanted: { learnt: '"stream":true' },
  },
  {
    name: 'a server that supports few keywords of JSON Schema gets only those',
    source: 'BerriAI/litellm#14330',
    refuses: [
      {
        has: '"default":0',
        body: [
          {
            error: {
              code: 400,
              message:
                'Invalid JSON payload received. Unknown name "default" at \'tools[0].function_declarations[0].parameters\': Cannot find field.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
      },
    ],
    wanted: { learnt: '"default":0' },
  },
  {
    name: 'a server that accepts only ids of nine letters and digits gets such ids',
    source: 'anomalyco/opencode#1680',
    refuses: [
      {
        has: '"id":"call_',
        body: {
          object: 'error',
          message: 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.',
          type: 'invalid_function_call',
          param: null,
          code: '3280',
        },
      },
    ],
    wanted: { learnt: '"id":"call_' },
  },
  {
    name: "a server that requires the tool's name in its result gets the name",
    source: 'https://ai.google.dev/gemini-api/docs/function-calling: a response names its function',
    refuses: [
      {
        roles: 'tool$',
        lacks: '"tool_call_id":"[^"]*","name":"look"',
        body: [
          {
            error: {
              code: 400,
              message: '* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
      },
    ],
    wanted: { asked: '"name":"look"}\\]' },
  },
  {
    name: 'unknown fields of a tool call are sent back unchanged',
    source: 'manthanabc/paws#103',
    refuses: [
      {
        roles: 'tool$',
        lacks: '"extra_content":\\{"google":\\{"thought_signature":"sig=="\\}\\}',
        body: [
          {
            error: {
              code: 400,
              message: 'Function call is missing a thought_signature in functionCall parts.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
      },
    ],
    call: {
      events: [
        piece({
          tool_calls: [
            {
              index: 0,
              id: 'f',
              type: 'function',
              function: { name: 'look', arguments: '{"n":1}' },
              extra_content: { google: { thought_signature: 'sig==' } },
            },
          ],
        }),
        piece({}, 'tool_calls'),
      ],
    },
    wanted: { asked: 'thought_signature' },
  },
  {
    name: 'a server that forbids its own fields of a tool call gets the call without them',
    source: 'Gage-Technologies/mistral-go#2',
    refuses: [
      {
        has: '"provider_data"',
        body: vllm(
          "[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 2, 'tool_calls', 0, 'provider_data'), 'msg': 'Extra inputs are not permitted'}]",
        ),
      },
    ],
    call: {
      events: [
        piece({
          tool_calls: [{ index: 0, id: 'f', type: 'function', function: { name: 'look', arguments: '{"n":1}' }, provider_data: 'x' }],
        }),
        piece({}, 'tool_calls'),
      ],
    },
    wanted: { learnt: 'provider_data' },
  },
  {
    name: 'reasoning is sent back with its tool calls',
    source: 'continuedev/continue#10193',
    refuses: [
      {
        roles: 'tool$',
        lacks: '"reasoning_content":"I should look."',
        body: openai('Missing `reasoning_content` field in the assistant message at message index 2.'),
      },
    ],
    call: { events: [piece({ reasoning_content: 'I should ' }), piece({ reasoning_content: 'look.' }), ...look.events] },
    wanted: { asked: 'I should look' },
  },
  {
    name: 'a server that refuses its own reasoning gets the call without it',
    source: 'https://api-docs.deepseek.com/guides/reasoning_model',
    refuses: [{ has: '"reasoning_content"', body: openai('reasoning_content must not be included in the sequence of input messages') }],
    call: { events: [piece({ reasoning_content: 'Hm.' }), ...look.events] },
    wanted: { learnt: 'reasoning_content' },
  },
  {
    name: 'structured reasoning is sent back in its parts',
    source: 'https://openrouter.ai/docs/use-cases/reasoning-tokens',
    refuses: [
      {
        roles: 'tool$',
        lacks: '"reasoning_details":\\[\\{"type":"reasoning.text","text":"I look.","index":0,"signature":"s"\\}\\]',
        body: openai('Invalid signature in thinking block'),
      },
    ],
    call: {
      events: [
        piece({ reasoning_details: [{ type: 'reasoning.text', text: 'I ', index: 0 }] }),
        piece({ reasoning_details: [{ type: 'reasoning.text', text: 'look.', index: 0 }] }),
        piece({ reasoning_details: [{ type: 'reasoning.text', signature: 's', index: 0 }] }),
        ...look.events,
      ],
    },
    wanted: { asked: 'reasoning_details' },
  },
  {
    name: 'a server that rejects null as content gets an empty text',
    source: 'the validation of FastAPI: https://fastapi.tiangolo.com/tutorial/handling-errors/',
    refuses: [
      {
        has: '"content":null',
        body: {
          detail: [{ type: 'string_type', loc: ['body', 'messages', 2, 'content'], msg: 'Input should be a valid string', input: null }],
        },
        status: 422,
      },
    ],
    wanted: { learnt: '"content":null' },
  },
  {
    name: 'the token limit has another name for newer models',
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    model: { max_tokens: 500 },
    refuses: [
      {
        has: '"max_tokens":500',
        body: openai("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", {
          code: 'unsupported_parameter',
        }),
      },
    ],
    wanted: { asked: '"max_completion_tokens":500', learnt: '"max_tokens"' },
  },
  {
    name: 'a configured feature is always used',
    source: 'the settings of the model',
    model: { features: { tools: false, stream: false } },
    refuses: [{ has: '"tools":|"stream":true', status: 401, body: openai('It was tried') }],
    wanted: { notices: ['no_tools'], used: 0 },
  },
  {
    name: 'several missing features of a server are found one after the other',
    source: 'the rule: one refusal may hide another',
    refuses: [
      {
        has: '"stream_options"',
        status: 422,
        body: { detail: [{ loc: ['body', 'stream_options'], msg: 'Extra inputs are not permitted' }] },
      },
      { roles: 'system', status: 422, body: { detail: 'The role system is not supported' } },
      { has: '"tools":', status: 422, body: { detail: 'Tools are not supported by this model' } },
    ],
    wanted: { notices: ['no_tools'], used: 0, learnt: 'stream_options|"system"|"tools":' },
  },
  {
    name: 'a template that accepts one tool call at a time gets several in sequence',
    source: 'https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct: its chat template',
    refuses: [{ has: '"tool_calls":\\[\\{[^\\]]*\\},\\{', body: vllm('This model only supports single tool-calls at once!') }],
    call: { events: [piece({ tool_calls: [called(), called({ index: 1, id: 'call_2' })] }), piece({}, 'tool_calls')] },
    wanted: { used: 2 },
  },
  {
    name: 'a server that accepts only identifiers as tool names gets identifiers',
    source: 'kaitranntt/ccs#25',
    refuses: [
      {
        has: '"name":"2-look"',
        body: [
          {
            error: {
              code: 400,
              message:
                '* tools[0].function_declarations[53].name: [FIELD_INVALID] Invalid function name. Must start with a letter or an underscore.',
              status: 'INVALID_ARGUMENT',
            },
          },
        ],
      },
    ],
    call: { events: [piece({ tool_calls: [called({}, { name: 'tool_2_look' })] }), piece({}, 'tool_calls')] },
    wanted: { tool: '2-look', learnt: '"name":"2-look"' },
  },
];
