import { type Failure, fail, type ProtocolDoor } from '../../../kernel/contract/index.js';
import { protocols } from '../subjects.js';
import { refusalOf } from './error.js';

const root = '/api/v1';
const unknownPath = `Unknown path; AI employees answer at ${root}/chat/completions and are listed at ${root}/models`;
const refuse = (failure: Failure) => refusalOf(failure.code === 'not_found' ? fail('not_found', unknownPath) : failure, { begun: false });

export const modelsDoor: ProtocolDoor = {
  id: 'openai.models',
  subject: protocols,
  root,
  path: `${root}/models`,
  methods: ['GET'],
  summary: "Lists the AI employees in the form of OpenAI's list of models.",
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
  scope: 'read',
  refuse,
};

export const completionsDoor: ProtocolDoor = {
  id: 'openai.chat_completions',
  subject: protocols,
  root,
  path: `${root}/chat/completions`,
  methods: ['POST'],
  summary: "Talks to an AI employee in the form of OpenAI's chat completions; streams if requested.",
  scope: 'chat',
  // Images are part of the request.
  max_bytes: 20 * 1024 * 1024,
  // An answer that is not streamed is sent when all work is done; the employee's own limit ends it earlier.
  timeout_ms: 7_200_000,
  refuse,
};
