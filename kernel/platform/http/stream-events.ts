import type { EventTypes } from '../../contract/operation.js';

/** Last events that the platform itself sends on any stream, for documentation and tests. */
export const endEvents: EventTypes = (j) => ({
  error: {
    description: 'The stream has failed.',
    data: j.object({ code: j.string().required(), message: j.string().required(), request_id: j.string().required() }),
  },
  revoked: {
    description: 'The token was revoked or has expired: log in again.',
    data: j.object({ reason: j.string().valid('revoked', 'expired').required() }),
  },
  closed: {
    description: 'The extension behind the stream was stopped or removed.',
    data: j.object({ reason: j.string().required() }),
  },
});

/** Events of a call that reports its progress, for documentation and tests. */
export const progressEvents: EventTypes = (j) => ({
  progress: {
    description: 'The progress of the call, at most ten times a second.',
    data: j.object({
      doing: j.string().required().description('The current step in a few words'),
      done: j.number().min(0).required().description('Bytes of `total`; 0 if they are not counted'),
      total: j.number().min(0).required().description('Bytes in all, perhaps estimated; 0 if unknown'),
    }),
  },
  answer: {
    description: 'The end: the answer of the call.',
    data: j.object({ status: j.number().integer().required(), body: j.any() }),
  },
  error: {
    description: 'The end: the body of an error.',
    data: j.object({ statusCode: j.number().integer().required(), code: j.string().required(), message: j.string().required() }).unknown(),
  },
});
