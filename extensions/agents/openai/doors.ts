import { type Failure, fail, type ProtocolDoor } from '../../../kernel/contract/index.js';
import { protocols } from '../subjects.js';
import { refusalOf } from './error.js';

const root = '/api/v1';
const unknownPath = `Unknown path; AI employees answer at ${root}/chat/completions and are listed at ${root}/models`;
const refuse = (failure: Failure) => refusalOf(failure.code === 'not_found' ? fail('not_found', unknownPath) : failure, { begun: false });

const model = { id: 'assistant', object: 'model', created: 1_795_683_600, owned_by: 'platform', name: 'Assistant' };

export const modelsDoor: ProtocolDoor = {
  id: 'openai.models',
  subject: protocols,
  root,
  path: `${root}/models`,
  methods: ['GET'],
  summary: "Lists the AI employees in the form of OpenAI's list of models.",
  example: () => ({ answer: { object: 'list', data: [model] } }),
  scope: 'read',
  refuse,
};

export const modelDoor: ProtocolDoor = {
  id: 'openai.model',
  subject: protocols,
  root,
  path: `${root}/models/{id}`,
  methods: ['GET'],
  summary: 'Shows an AI employee in the form of an OpenAI model.',
  example: () => ({ params: { id: 'assistant' }, answer: model }),
  scope: 'read',
  refuse,
};

const completion = () => ({
  id: 'chatcmpl-019a0b5e7c1070008000000000000013',
  object: 'chat.completion',
  created: 1_795_683_600,
  model: 'assistant',
  choices: [
    { index: 0, message: { role: 'assistant', content: 'I know these commands: …', refusal: null }, logprobs: null, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 },
});

export const completionsDoor: ProtocolDoor = {
  id: 'openai.chat_completions',
  subject: protocols,
  root,
  path: `${root}/chat/completions`,
  methods: ['POST'],
  summary: "Talks to an AI employee in the form of OpenAI's chat completions; streams if requested.",
  example: () => ({ body: { model: 'assistant', messages: [{ role: 'user', content: '/help' }] }, answer: completion() }),
  scope: 'chat',
  // Images and files are part of the request.
  max_bytes: 20 * 1024 * 1024,
  // An answer that is not streamed is sent when all work is done; the employee's own limit ends it earlier.
  timeout_ms: 7_200_000,
  refuse,
};
