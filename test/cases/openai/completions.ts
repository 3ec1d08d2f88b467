/** A body of `POST /chat/completions`, and what the model behind the AI employee gets of it. */
export interface CompletionCase {
  /** A claim. */
  name: string;
  /** The rule or the page behind it. */
  source: string;
  /** Fields that differ from a body with the model and one message of a user. */
  body: Readonly<Record<string, unknown>>;
  /** Default: 200. */
  status?: number;
  /** Part of `error`, where it is refused. */
  error?: { param: string | null };
  /** Part of each message that the model gets after its instructions. */
  messages?: readonly object[];
  /** Part of the answer. */
  answer?: object;
}

const reference = 'platform.openai.com/docs/api-reference/chat/create';
const responses = 'platform.openai.com/docs/api-reference/responses/create';
const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII=';
const seen = { type: 'image_url', image_url: { url: `data:image/png;base64,${pixel}` } };
const look = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"at":"sky"}' } };
const hello = { role: 'user', content: 'Hi' };
const picture = (image: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'See' }, image] }] });
const asPicture = (url: string) => picture({ type: 'image_url', image_url: { url } });
const seePicture = [{ role: 'user', content: [{ type: 'text', text: 'See' }, seen] }];
const broken = (ending: string) => pixel.replace(/.{20}/g, (line) => line + ending);

export const completionCases: readonly CompletionCase[] = [
  {
    name: 'parameters that only tune a model are accepted',
    source: reference,
    body: {
      max_completion_tokens: 100,
      max_tokens: null,
      temperature: 0.2,
      top_p: 1,
      n: 1,
      logprobs: false,
      top_logprobs: null,
      store: false,
      metadata: { thread: '7' },
      reasoning_effort: 'low',
      parallel_tool_calls: false,
      user: 'ada',
      seed: 7,
      stop: null,
      service_tier: 'auto',
      logit_bias: null,
      modalities: ['text'],
      response_format: { type: 'text' },
      tools: null,
      tool_choice: null,
      functions: null,
      function_call: null,
      stream: null,
      stream_options: null,
      prompt_cache_key: 'k',
      safety_identifier: 's',
      verbosity: 'low',
    },
    messages: [hello],
    answer: {
      object: 'chat.completion',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }],
    },
  },
  { name: 'more than one answer is refused', source: reference, body: { n: 2 }, status: 400, error: { param: 'n' } },
  {
    name: 'a response format that is not supported is refused',
    source: reference,
    body: { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: {} } } },
    status: 400,
    error: { param: 'response_format' },
  },
  {
    name: 'an empty list of tool calls is refused, as OpenAI does',
    source: reference,
    body: { messages: [hello, { role: 'assistant', content: 'Yes?', tool_calls: [] }, hello] },
    status: 400,
    error: { param: 'messages.1.tool_calls' },
  },
  {
    name: 'null as the tool calls is accepted',
    source: reference,
    body: { messages: [hello, { role: 'assistant', content: 'Yes?', tool_calls: null }, hello] },
    messages: [hello, { role: 'assistant', content: 'Yes?' }, hello],
  },
  {
    name: 'developer messages are added to the instructions',
    source: reference,
    body: { messages: [{ role: 'developer', content: [{ type: 'text', text: 'Be brief.' }] }, hello] },
    messages: [hello],
  },
  {
    name: 'text parts of the newer API are read',
    source: responses,
    body: {
      messages: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'output_text', text: 'Yes?', annotations: [] }] },
        hello,
      ],
    },
    messages: [hello, { role: 'assistant', content: 'Yes?' }, hello],
  },
  {
    name: "an earlier refusal counts as the assistant's text",
    source: reference,
    body: { messages: [hello, { role: 'assistant', content: null, refusal: 'I will not.' }, hello] },
    messages: [hello, { role: 'assistant', content: 'I will not.' }, hello],
  },
  {
    name: 'fields that other servers add to a message are ignored',
    source: 'api-docs.deepseek.com/guides/reasoning_model',
    body: {
      messages: [
        { ...hello, name: 'ada' },
        { role: 'assistant', content: 'Yes?', refusal: null, annotations: [], audio: null, function_call: null, reasoning_content: 'Hm' },
        hello,
      ],
    },
    messages: [hello, { role: 'assistant', content: 'Yes?' }, hello],
  },
  {
    name: 'a tool result may have no content',
    source: reference,
    body: {
      messages: [hello, { role: 'assistant', content: null, tool_calls: [look] }, { role: 'tool', tool_call_id: 'call_1', content: null }],
    },
    messages: [hello, { role: 'assistant', tool_calls: [look] }, { role: 'tool', tool_call_id: 'call_1' }],
  },
  {
    name: 'a tool result may come in parts',
    source: reference,
    body: {
      messages: [
        hello,
        { role: 'assistant', content: '', tool_calls: [look] },
        { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'blue' }] },
      ],
    },
    messages: [hello, { role: 'assistant', tool_calls: [look] }, { role: 'tool', content: 'blue' }],
  },
  {
    name: 'arguments of a call may be an object',
    source: 'docs.ollama.com/api/chat',
    body: {
      messages: [
        hello,
        { role: 'assistant', tool_calls: [{ ...look, function: { name: 'look', arguments: { at: 'sky' } } }] },
        { role: 'tool', tool_call_id: 'call_1', content: 'blue' },
      ],
    },
    messages: [hello, { role: 'assistant', tool_calls: [look] }, { role: 'tool', content: 'blue' }],
  },
  {
    name: 'a call without an answer is refused',
    source: reference,
    body: { messages: [hello, { role: 'assistant', tool_calls: [look] }, hello] },
    status: 400,
    error: { param: 'messages' },
  },
  { name: 'the model sees a picture', source: reference, body: asPicture(`data:image/png;base64,${pixel}`), messages: seePicture },
  {
    name: 'line breaks within the base64 of a picture are ignored',
    source: 'RFC 2045, 6.8: encoders break lines after 76 characters',
    body: asPicture(`data:image/png;base64,${broken('\r\n')}\n`),
    messages: seePicture,
  },
  {
    name: 'spaces within the base64 of a picture are ignored',
    source: 'url.spec.whatwg.org; infra.spec.whatwg.org/#forgiving-base64-decode',
    body: asPicture(` data:image/png;base64, ${broken(' \t')}`),
    messages: seePicture,
  },
  {
    name: 'percent-encoding within a picture is decoded',
    source: 'RFC 2397, 3',
    body: asPicture(`data:image/png;base64,${pixel.replaceAll('+', '%2B').replaceAll('/', '%2f').replaceAll('=', '%3D')}`),
    messages: seePicture,
  },
  {
    name: 'base64url is read too',
    source: 'RFC 4648, 5',
    body: asPicture(`data:image/png;base64,${pixel.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`),
    messages: seePicture,
  },
  {
    name: 'a picture may have parameters, and its type any case',
    source: 'RFC 2397, 3',
    body: asPicture(`DATA:image/PNG;charset=utf-8;name=dot.png;BASE64,${pixel}`),
    messages: seePicture,
  },
  {
    name: 'a picture may be a text instead of an object',
    source: responses,
    body: picture({ type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' }),
    messages: seePicture,
  },
  {
    name: 'an empty picture is refused',
    source: reference,
    body: asPicture('data:image/png;base64,'),
    status: 400,
    error: { param: 'messages.0.content.1.image_url' },
  },
  {
    name: 'a picture at an external address is refused',
    source: reference,
    body: asPicture('https://example.org/dot.png'),
    status: 400,
    error: { param: 'messages.0.content.1.image_url' },
  },
  {
    name: 'a picture that is not base64 is refused',
    source: reference,
    body: asPicture('data:image/png;base64,<svg/>'),
    status: 400,
    error: { param: 'messages.0.content.1.image_url' },
  },
  {
    name: 'sound is refused with its path',
    source: reference,
    body: picture({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
    status: 400,
    error: { param: 'messages.0.content' },
  },
];
