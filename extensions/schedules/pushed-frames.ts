import type { Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

/** Topic of the frames, for administrators. */
export const topic = 'schedules';

/** Frames that this extension pushes to sockets. */
export const pushedFrames = (j: Joi) => ({
  'schedule.run': {
    description: 'A run of a schedule has started, waits or has ended. The output of a conversation is omitted.',
    to: [topic],
    data: shape.run(j),
  },
});
