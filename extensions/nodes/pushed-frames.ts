import type { Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

/** Topic of the frames, for administrators. */
export const topic = 'nodes';

/** Frames that this extension pushes to sockets. */
export const pushedFrames = (j: Joi) => ({
  'node.updated': {
    description: 'A work node has changed.',
    to: [topic],
    data: j.object({
      node: shape.node(j).required(),
      progress: shape.pullProgress(j).description('While its image is pulled'),
    }),
  },
  'node.removed': { description: 'A work node is gone.', to: [topic], data: j.object({ id: shape.id(j).required() }) },
});
