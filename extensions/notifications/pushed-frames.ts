import type { Joi } from '../../kernel/contract/index.js';
import * as shape from './shapes.js';

/** Frames that this extension pushes to sockets. */
export const pushedFrames = (j: Joi) => ({
  notification: { description: 'A notification, new or with a higher count.', to: ['members'], data: shape.notification(j) },
  'notification.read': {
    description: 'Notifications were read or deleted on one of your devices.',
    to: ['members'],
    data: j.object({
      ids: j.array().items(shape.id(j)).required(),
      unread: j.number().integer().min(0).required().description('Number of unread notifications'),
      up_to: shape.id(j).allow(0).description('Present if all up to this id were read'),
    }),
  },
});
