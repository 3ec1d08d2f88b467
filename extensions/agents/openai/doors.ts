import { type Failure, fail, type ProtocolDoor } from '../../../kernel/contract/index.js';
import { refusalOf } from './error.js';

const root = '/api/v1';
const offered = `This path is not served here; AI employees answer at ${root}/chat/completions and are listed at ${root}/models`;
const refuse = (failure: Failure) => refusalOf(failure.code === 'not_found' ? fail('not_found', offered) : failure, { begun: false });

export const modelsDoor: ProtocolDoor = {
  root,
  path: `${root}/models`,
  methods: ['GET'],
  summary: "The AI employees, as OpenAI's clients list models.",
  scope: 'read',
  refuse,
};

export const modelDoor: ProtocolDoor = {
  root,
  path: `${root}/models/{id}`,
  methods: ['GET'],
  summary: "One AI employee, as OpenAI's clients see a model.",
  scope: 'read',
  refuse,
};

export const completionsDoor: ProtocolDoor = {
  root,
  path: `${root}/chat/completions`,
  methods: ['POST'],
  summary: "Talks to an AI employee, as OpenAI's clients talk to a model; streamed where asked.",
  scope: 'chat',
  // Pictures come with the request.
  max_bytes: 20 * 1024 * 1024,
  // An answer that is not streamed comes when all the work is done; the employee's own limit ends it before.
  timeout_ms: 7_200_000,
  refuse,
};
