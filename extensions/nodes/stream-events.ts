import type { Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

const done = (j: Joi) => ({ description: 'The stream is over; the server closes it.', data: j.object({}) });
const stream = (j: Joi) => j.string().valid('stdout', 'stderr').required();

/** Events while a node is created or removed. */
export const nodeEvents = (j: Joi) => ({
  'node.updated': { description: 'The node as it is now.', data: j.object({ node: shape.node(j).required() }) },
  'pull.progress': { description: 'How much of the image is pulled.', data: shape.pullProgress(j) },
  done: {
    description: 'Nothing more will happen; the server closes the stream.',
    data: j.object({ status: j.string().valid('online', 'offline', 'error', 'removed').required() }),
  },
});

/** Events of a command. */
export const commandEvents = (j: Joi) => ({
  output: {
    description: 'A piece of what the command prints.',
    data: j.object({
      stream: stream(j),
      delta: j.string().allow('').required(),
      base64: j.string().description('The exact bytes, if they are not UTF-8'),
    }),
  },
  exit: {
    description: 'The command has ended.',
    data: j.object({
      exit_code: j.number().integer().allow(null).required().description('Null if it was killed'),
      timed_out: j.boolean().required(),
      truncated: j.boolean().required().description('Whether output was omitted'),
      duration_ms: j.number().integer().min(0).required(),
    }),
  },
  done: done(j),
});

/** Events of the log of a node. */
export const logEvents = (j: Joi) => ({
  log: {
    description: 'A line that the program of the node has printed.',
    data: j.object({
      stream: stream(j),
      at: j.string().allow('').required().description('ISO 8601 with nanoseconds; empty if the engine gives none'),
      delta: j.string().allow('').required(),
    }),
  },
  done: done(j),
});
